"""torch._functorch: the parts of function transforms by the names that packages reach for."""

from rushlight.core.surface.lazy import names_of

__getattr__ = names_of(
    "rushlight._functorch", ("apis", "eager_transforms", "functional_call", "functorch", "make_functional", "vmap")
)
