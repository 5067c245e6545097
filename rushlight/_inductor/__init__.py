"""torch._inductor: settings that are kept; there is no code generator."""

from __future__ import annotations

from typing import Any

from rushlight._inductor import config
from rushlight.core.surface.lazy import names_of

__all__ = ["config", "list_mode_options", "list_options"]


def list_mode_options(mode: str | None = None, dynamic: bool | None = None) -> dict[str, Any]:
    """The settings of each mode of `torch.compile`: none."""
    from rushlight.compiler.entry import MODES

    return {each: {} for each in MODES} if mode is None else {}


def list_options() -> list[str]:
    """The names of the settings."""
    return dir(config)


__getattr__ = names_of("rushlight._inductor")
