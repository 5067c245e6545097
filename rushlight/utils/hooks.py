"""Hook handles under torch's import path."""

from rushlight.autograd.handles import RemovableHandle

__all__ = ["RemovableHandle"]
