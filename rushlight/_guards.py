"""torch._guards: what holds while a program is captured; nothing is being captured."""

from typing import Any

__all__ = ["active_fake_mode", "detect_fake_mode"]


def active_fake_mode() -> None:
    """The mode in which tensors only pretend to have elements: none."""


def detect_fake_mode(inputs: Any = None) -> None:
    """The mode that some inputs belong to: none."""
