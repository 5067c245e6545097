"""Translations of calls into nodes of ONNX, a file a family."""

from rushlight.onnx.tables import (
    creation,
    images,
    indexing,
    losses,
    normalization,
    pointwise,
    products,
    rectifiers,
    reductions,
    sequences,
    shapes,
)
from rushlight.onnx.tables.table import TABLE

__all__ = ["TABLE"]
