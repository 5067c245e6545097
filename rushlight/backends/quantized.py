"""torch.backends.quantized: libraries for quantized numbers, of which there are none."""

from rushlight.core.surface.lazy import names_of

__all__: list[str] = []

engine = "none"
supported_engines: list[str] = []


__getattr__ = names_of("rushlight.backends.quantized")
