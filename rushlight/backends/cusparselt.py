"""torch.backends.cusparselt: cuSPARSELt, a library for GPUs, which are not used."""

from rushlight.core.surface.lazy import names_of

__all__ = ["is_available", "version", "get_max_alg_id"]


def is_available() -> bool:
    """Whether the library is there: never."""
    return False


def version() -> int | None:
    """The version of the library: None."""
    return None


def get_max_alg_id() -> int | None:
    """The number of its algorithms: None."""
    return None


__getattr__ = names_of("rushlight.backends.cusparselt")
