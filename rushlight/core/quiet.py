"""Quiet arithmetic: NumPy's floating point warnings are off while tensors are computed, as torch has none."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import numpy as np

# np.errstate costs 1 us a call; setting the variable behind it 0.2 us
try:
    from numpy._core.umath import _extobj_contextvar as setting
    from numpy._core.umath import _make_extobj

    QUIET: Any = _make_extobj(all="ignore")
    floating_point: ContextVar = setting
except ImportError:  # another NumPy: an op body then runs under the user's own settings
    QUIET = None
    floating_point = ContextVar("floating_point")


def works() -> bool:
    """Whether setting the variable does silence NumPy."""
    token = floating_point.set(QUIET)
    try:
        return np.geterr()["divide"] == "ignore"
    finally:
        floating_point.reset(token)
