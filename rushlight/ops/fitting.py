"""Fitting: tensors brought to another size, padded with a constant or summed down."""

from __future__ import annotations

import numpy as np

from rushlight.core.size import Size
from rushlight.ops.declare import composed, op
from rushlight.ops.dims import plain_size
from rushlight.ops.gradients import sum_to_shape
from rushlight.ops.rules import SAME
from rushlight.ops.samples import case, cases


@op(
    dtype=SAME,
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(2, 3), (1, 2)),
            case(make.floats(2, 3), [1, 0, 0, 1], 2.5),
            case(make.floats(2, 3), (-1, 1)),
            case(make.floats(2, 3), (-1, -1, 1, 0), 3),
            case(make.floats(3, 2).T, (1, 1)),
            case(make.ints(2, 3), (1, 1), 1.5),
            case(make.bools(3), (1, 1), True),
            case(make.complexes(3), (1, 1)),
            case(make.floats(0, 3), (0, 0, 1, 1)),
            case(make.floats(2, 3), ()),
            case(make.floats(2, 3), (1,)),
            case(make.floats(3), (1, 1, 1, 1)),
            case(make.floats(2, 3), (-2, -2)),
        ]
    ),
)
def constant_pad_nd(input, pad: tuple, value=0):
    """The input with `value` before and after each dimension, the last one first; negative amounts cut away."""
    pad = plain_size(pad)
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}: two numbers for a dimension")
    if len(pad) > 2 * input.ndim:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)} while the input has {input.ndim} dimensions."
        )
    shape, source, target = list(input.shape), [slice(None)] * input.ndim, [slice(None)] * input.ndim
    for place in range(len(pad) // 2):
        dim, before, after = input.ndim - 1 - place, pad[2 * place], pad[2 * place + 1]
        size = shape[dim] + before + after
        if size < 0 or -before > shape[dim] or -after > shape[dim]:
            raise RuntimeError(
                f"The input size {shape[dim]}, plus negative padding {before} and {after}, resulted in a negative "
                f"output size, which is invalid. Check dimension {dim} of your input."
            )
        source[dim] = slice(max(-before, 0), shape[dim] + min(after, 0))
        target[dim] = slice(max(before, 0), size - max(after, 0))
        shape[dim] = size
    found = np.empty(shape, input.dtype)
    found.fill(int(value) if input.dtype.kind in "iu" else value)
    found[tuple(target)] = input[tuple(source)]
    return found


constant_pad_nd.gradient(input=lambda grad, pad: constant_pad_nd(grad, [-each for each in plain_size(pad)]))


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(2, 3), (1, 3)),
            case(make.floats(2, 3), (3,)),
            case(make.floats(2, 3), 1, 1),
            case(make.floats(2, 3), (2, 3)),
            case(make.floats(2, 3), ()),
            case(make.floats(2, 0), (2, 1)),
            case(make.ints(2, 3), (1,)),
            case(make.floats(2, 3), (3, 1)),
        ]
    )
)
def sum_to_size(input, *size):
    """The sum over those dimensions that `size` lacks or has as 1: what expanding to the input's size undoes."""
    wanted = plain_size(size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size)
    given = tuple(input.shape)
    extra = len(given) - len(wanted)
    if extra < 0 or any(want not in (1, have) for have, want in zip(given[extra:], wanted, strict=True)):
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(given)}}}.")
    if not wanted:
        return input.sum()
    return input if wanted == given else sum_to_shape(input, Size(wanted))
