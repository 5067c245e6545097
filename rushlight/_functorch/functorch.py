"""functorch: the package beside torch from which function transforms came; `torch.func` has them now."""

import sys

from rushlight._decomp import WHY
from rushlight._functorch import boxes
from rushlight._functorch.make_functional import (
    FunctionalModule,
    FunctionalModuleWithBuffers,
    combine_state_for_ensemble,
    make_functional,
    make_functional_with_buffers,
)
from rushlight.core.surface.refusals import make_modules, table
from rushlight.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap
from rushlight.version import __version__

__all__ = [
    "FunctionalModule",
    "FunctionalModuleWithBuffers",
    "__version__",
    "combine_state_for_ensemble",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "make_functional",
    "make_functional_with_buffers",
    "vjp",
    "vmap",
]

_names = table(
    """
    compile: aot_function aot_module aot_module_simplified compiled_function compiled_module default_decompositions
        default_partition draw_graph memory_efficient_fusion min_cut_rematerialization_partition ts_compile
    """
)
make_modules("rushlight._functorch.functorch", _names, WHY)
vars(sys.modules["rushlight._functorch.functorch.compile"]).update(
    {each: getattr(boxes, each) for each in boxes.__all__}
)
