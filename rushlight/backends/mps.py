"""torch.backends.mps: Apple's GPUs, which Rushlight does not use."""

from rushlight.core.surface.lazy import names_of

__all__ = ["is_available", "is_built", "is_macos13_or_newer", "is_macos_or_newer"]


def is_available() -> bool:
    """Whether tensors can be made there: never."""
    return False


def is_built() -> bool:
    """Whether this library was built for them: no."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Whether the system is new enough for them: they are not asked for."""
    return False


def is_macos13_or_newer(minor: int = 0) -> bool:
    """Whether the system is new enough for them: they are not asked for."""
    return False


__getattr__ = names_of("rushlight.backends.mps")
