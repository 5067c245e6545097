"""torch.backends.kleidiai: KleidiAI, Arm"s library, which is not used."""

from rushlight.core.surface.lazy import names_of

__all__ = ["is_available"]


def is_available() -> bool:
    """Whether the library is there: never."""
    return False


__getattr__ = names_of("rushlight.backends.kleidiai")
