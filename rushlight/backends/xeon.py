"""torch.backends.xeon: settings for Xeon processors: none are needed."""

from rushlight.core.surface.lazy import names_of

__all__: list[str] = []


__getattr__ = names_of("rushlight.backends.xeon")
