"""torch.backends.nnpack: NNPACK, a library for convolutions, which is not used."""

from rushlight.core.surface.lazy import names_of

__all__ = ["is_available"]

enabled = False


def is_available() -> bool:
    """Whether the library is there: never."""
    return False


__getattr__ = names_of("rushlight.backends.nnpack")
