"""Marks for Intel's profilers, which are not there."""

from __future__ import annotations


def is_available() -> bool:
    """Whether marks can be set: they cannot."""
    return False
