"""Hashing: one number that tells whether tensors differ."""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers.casting import cast
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.dims import axes
from rushlight.ops.machine.layouts import STRICT_ROWS
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import OVER


@op(
    dtype=SAME,
    batch=OVER,
    layout=STRICT_ROWS,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(3, 4), 1),
            case(make.floats(3, 4, dtype="float64"), (0, 1), keepdim=True),
            case(make.ints(3, 4), dim=0, keepdim=True),
            case(make.bools(4)),
            case(make.floats(4, dtype="float16")),
            case(make.floats()),
            case(make.floats(0, 3), 0),
            case(make.floats(0)),
            case(make.floats(3), mode=1),
        ]
    ),
)
def hash_tensor(input, dim=(), *, keepdim=False, mode=0, out=None):
    """The exclusive or of the elements' bits, floats taken as float64, over all dimensions or over `dim`: a uint64.

    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.equal(torch.hash_tensor(x), torch.hash_tensor(x.flip(0)))  # the order does not matter
    True
    """
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}, the only one is 0")
    if not input.size and dim == ():
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' argument."
        )
    along = axes(dim, input.ndim)
    for each in along if isinstance(along, tuple) else () if along is None else (along,):
        if not input.shape[each]:
            raise IndexError(f"hash_tensor: Expected reduction dim {each} to have non-zero size.")
    wide = cast(input, np.dtype("float64" if input.dtype.kind in "fV" else "int64")).view(np.uint64)
    return np.bitwise_xor.reduce(wide, along, keepdims=keepdim)
