"""Fitting: tensors summed down to another size."""

from __future__ import annotations

from rushlight.core.object.size import Size
from rushlight.ops.machine.calling import not_given
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.dims import plain_size
from rushlight.ops.machine.gradients import sum_to_shape
from rushlight.ops.machine.samples import case, cases


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
    """The sum over those dimensions that `size` lacks or has as 1: what expanding to the input's size undoes.

    >>> torch.ones(4, 2, 3).sum_to_size(2, 1)
    tensor([[12.],
            [12.]])
    """
    if not size:
        raise not_given("sum_to_size", "size")
    wanted = plain_size(size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size)
    given = tuple(input.shape)
    extra = len(given) - len(wanted)
    if extra < 0 or any(want not in (1, have) for have, want in zip(given[extra:], wanted, strict=True)):
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(given)}}}.")
    if not wanted:
        return input.sum()
    found = input if wanted == given else sum_to_shape(input, Size(wanted))
    return found.view(wanted) if extra else found
