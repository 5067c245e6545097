"""A mode of the compiler that packages enter around functions on indices."""

from __future__ import annotations

from rushlight.overrides import TorchFunctionMode


class TransformGetItemToIndex(TorchFunctionMode):
    """Inside, `x[i]` takes tensors for indices; it always does here, so nothing is done."""
