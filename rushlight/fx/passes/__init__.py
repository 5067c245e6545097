"""torch.fx.passes: what is done to whole graphs."""

from rushlight.core.surface.lazy import names_of

__getattr__ = names_of("rushlight.fx.passes", ("shape_prop",))
