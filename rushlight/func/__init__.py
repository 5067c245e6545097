"""`torch.func`: functions of functions, which differentiate or map what they are given."""

from __future__ import annotations

from rushlight.core.surface.lazy import names_of
from rushlight.func.gradients import grad, grad_and_value, vjp
from rushlight.func.jacobians import hessian, jacfwd, jacrev
from rushlight.func.mapping import vmap
from rushlight.func.modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from rushlight.func.tangents import jvp, linearize
from rushlight.func.unwrapping import debug_unwrap

__all__ = [
    "debug_unwrap",
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

__getattr__ = names_of("rushlight.func")
