"""torch._functorch.apis: `vmap`, `grad` and `grad_and_value`."""

from rushlight.func import grad, grad_and_value, vmap

__all__ = ["grad", "grad_and_value", "vmap"]
