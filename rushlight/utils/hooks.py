"""Hook handles under torch's import path."""

from rushlight.autograd.hooks import RemovableHandle

__all__ = ["RemovableHandle"]
