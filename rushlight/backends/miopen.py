"""torch.backends.miopen: MIOpen, a library for GPUs, which are not used."""

from rushlight.core.surface.lazy import names_of

__all__: list[str] = []

immediate = False


__getattr__ = names_of("rushlight.backends.miopen")
