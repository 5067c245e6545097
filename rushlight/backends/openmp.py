"""torch.backends.openmp: threads by OpenMP; the native layer has a pool of its own."""

from rushlight.core.surface.lazy import names_of

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether operations run on threads of OpenMP: never."""
    return False


__getattr__ = names_of("rushlight.backends.openmp")
