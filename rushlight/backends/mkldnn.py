"""torch.backends.mkldnn: Intel's oneDNN, which is not used; its flags may be set and read."""

from rushlight.core.surface.lazy import names_of

__all__ = ["is_acl_available", "is_available"]

enabled = True
deterministic = False
allow_tf32 = False


def is_available() -> bool:
    """Whether the library is there: never."""
    return False


def is_acl_available() -> bool:
    """Whether Arm's library is there: never."""
    return False


__getattr__ = names_of("rushlight.backends.mkldnn")
