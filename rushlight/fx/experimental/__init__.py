"""torch.fx.experimental: names that packages import; what needs a compiler is refused where it is called."""

from rushlight.core.surface.lazy import names_of

__getattr__ = names_of("rushlight.fx.experimental", ("proxy_tensor", "symbolic_shapes"))
