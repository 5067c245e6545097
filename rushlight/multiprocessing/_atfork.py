"""Functions to run in a child of fork()."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["register_after_fork"]


def register_after_fork(func: Callable[[], None]) -> None:
    """Run a function in every process that is forked from this one."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=func)
