"""torch.backends.mha: the short cut of attention layers in evaluation, which may be switched off."""

from rushlight.core.surface.lazy import names_of

__all__ = ["get_fastpath_enabled", "set_fastpath_enabled"]

_is_fastpath_enabled = True


def get_fastpath_enabled() -> bool:
    """Whether the short cut may be taken; results do not depend on it."""
    return _is_fastpath_enabled


def set_fastpath_enabled(value: bool) -> None:
    """Say whether the short cut may be taken; results do not depend on it."""
    global _is_fastpath_enabled
    _is_fastpath_enabled = value


__getattr__ = names_of("rushlight.backends.mha")
