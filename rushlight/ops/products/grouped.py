"""Products of groups: several matrix products in one call, of parts that may differ in size."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.naming import renamed
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.products.products import bmm
from rushlight.ops.shape.joining import cat, stack

# one op in torch
groups_of_stacks, joined, stacked = (renamed(each, "GroupedMmBackward0") for each in (bmm, cat, stack))


@composed(
    name="nn.functional.grouped_mm",
    samples=cases(
        lambda make: [
            case(make.floats(5, 4), make.floats(2, 4, 8), offs=np.array([2, 5], "int32")),
            case(make.floats(2, 3, 4), make.floats(4, 8), offs=np.array([4, 8], "int32")),
            case(make.floats(4, 8), make.floats(8, 4), offs=np.array([4, 8], "int32")),
            case(make.floats(2, 3, 4), make.floats(2, 4, 8)),
        ]
    ),
)
def grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None):
    """A matrix product for each group; `offs` holds where each group ends in the dimension that they share.

    That is the rows of a two-dimensional `mat_a`, the columns of a two-dimensional `mat_b`, or what is summed if both
    are; two stacks of matrices need no offsets.

    >>> tokens, experts = torch.ones(3, 8).bfloat16(), torch.ones(2, 8, 8).bfloat16()
    >>> experts[1] *= 2
    >>> F.grouped_mm(tokens, experts, offs=torch.tensor([1, 3], dtype=torch.int32))[:, 0]
    tensor([ 8., 16., 16.], dtype=torch.bfloat16)
    """
    check_groups(mat_a, mat_b, offs, bias)
    ends = [] if offs is None else list(pairwise([0, *offs.tolist()]))
    if mat_a.ndim == mat_b.ndim == 3:
        found = groups_of_stacks(mat_a, mat_b)
    elif mat_a.ndim == 3:
        found = joined([mat_a[group] @ mat_b[:, start:end] for group, (start, end) in enumerate(ends)], 1)
    elif mat_b.ndim == 3:
        found = joined([mat_a[start:end] @ mat_b[group] for group, (start, end) in enumerate(ends)])
    else:
        found = stacked([mat_a[:, start:end] @ mat_b[start:end] for start, end in ends])
    return found if out_dtype is None else found.to(out_dtype)


def check_groups(mat_a: Tensor, mat_b: Tensor, offs: Any, bias: Any) -> None:
    if mat_a.ndim not in (2, 3) or mat_b.ndim not in (2, 3):
        raise RuntimeError("mat_a and mat_b have to be 2 or 3 dimensional")
    if bias is not None:
        raise RuntimeError("Bias not supported yet: add it to the result")
    if (offs is None) != (mat_a.ndim == mat_b.ndim == 3):
        raise RuntimeError("Have to provide offsets if there is a 2d matrix, and none for two stacks of matrices")
