"""Reductions: sums, products and means over dimensions."""

from __future__ import annotations

import numpy as np

from rushlight.ops.declare import op
from rushlight.ops.dims import axes
from rushlight.ops.gradients import spread
from rushlight.ops.rules import ACCUMULATE
from rushlight.ops.samples import reduction


@op(dtype=ACCUMULATE, samples=reduction(), node=lambda dim: "SumBackward0" if dim is None else "SumBackward1")
def sum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """Sum of the elements, over every dimension or over `dim`."""
    return np.add.reduce(input, axes(dim, input.ndim), dtype, keepdims=keepdim)


sum.gradient(input=lambda grad, input_shape, dim, keepdim: spread(grad, input_shape, dim, keepdim))
