"""torch._functorch: the parts of function transforms by the names that packages reach for."""

from rushlight._decomp import WHY
from rushlight.core.surface.lazy import names_of
from rushlight.core.surface.refusals import make_modules, table

__getattr__ = names_of(
    "rushlight._functorch", ("apis", "eager_transforms", "functional_call", "functorch", "make_functional", "vmap")
)
_names = table(
    """
    aot_autograd: aot_export_joint_simple aot_export_module aot_function aot_module aot_module_simplified
    partitioners: _is_primal _is_tangent default_partition draw_graph min_cut_rematerialization_partition
    """
)
make_modules("rushlight._functorch", _names, WHY)
