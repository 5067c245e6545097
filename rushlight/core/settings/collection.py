"""Garbage is not looked for while the package is imported: there is none, and it takes a tenth of the time."""

from __future__ import annotations

import gc

_was_enabled = gc.isenabled()
gc.disable()


def resume() -> None:
    """Collect again if the program did before."""
    if _was_enabled:
        gc.enable()
