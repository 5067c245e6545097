"""Maxima: the largest and smallest elements and where they stand."""

from __future__ import annotations

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axes, axis
from rushlight.ops.machine.gradients import kept_shape, reduced_dims, spread
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.layouts import STRICT_ROWS
from rushlight.ops.machine.rules import INDEX, SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.level import is_mapped
from rushlight.ops.machine.transforms.view_words import FLAT_LAST
from rushlight.ops.machine.transforms.words import ALONG, OVER
from rushlight.ops.pointwise.bounds import maximum, minimum
from rushlight.ops.reductions.folding import fold


def samples(make, *extra):
    """Calls over all dimensions or one, with ties, NaN and what torch refuses."""
    ties = make.ints(3, 4, low=0, high=3).astype("float32")
    nans = np.array([[1, np.nan, 3], [4, 2, 0]], "float32")
    return [
        case(make.distinct(3, 4)),
        case(make.distinct(3, 4), 1),
        case(make.distinct(3, 4), dim=0, keepdim=True),
        corner(ties, 1),
        corner(ties),
        corner(nans, -1),
        corner(nans),
        case(make.floats()),
        case(make.floats(), 0),
        case(make.floats(), -1, True),
        case(make.distinct(2, 3).T, 0),
        case(make.ints(3, 4), 0),
        case(make.floats(4, dtype="float16"), 0),
        case(make.floats(0, 3)),
        case(make.floats(0, 3), 0),
        case(make.floats(0, 3), 1),
        case(make.floats(3, 4), 2),
        case(make.complexes(3), 0),
        *extra,
    ]


def several(make):
    x = make.distinct(3, 4, 2)
    return samples(make, case(x, (0, 2)), case(x, [1, -1], True), case(x, dim=()), case(make.bools(3, 4), 1))


@op(dtype=SAME, batch=OVER, samples=cases(several))
def amax(input, dim=None, keepdim=False, *, out=None):
    """Largest element over `dim`, one dimension or several; ties share the gradient evenly.

    >>> torch.tensor([[1, 5], [7, 3]]).amax(dim=1)
    tensor([5, 7])
    >>> torch.tensor([[1, 5], [7, 3]]).amax(dim=(0, 1))
    tensor(7)
    """
    along = axes(dim, input.ndim)
    check(input, "amax", along, kernel="max_values_cpu" if input.size else None)
    return fold(np.maximum, input, along, keepdim)


@op(dtype=SAME, batch=OVER, samples=cases(several))
def amin(input, dim=None, keepdim=False, *, out=None):
    """Smallest element over `dim`, one dimension or several; ties share the gradient evenly.

    >>> torch.tensor([[4.0, 2.0], [8.0, 6.0]]).amin(dim=0, keepdim=True)
    tensor([[4., 2.]])
    """
    along = axes(dim, input.ndim)
    check(input, "amin", along, kernel="min_values_cpu" if input.size else None)
    return fold(np.minimum, input, along, keepdim)


def check(input, name, along, empty=RuntimeError, kernel=None):
    """Refuse empty dimensions, which have no largest element, and complex numbers, which have no order."""
    if not input.size:
        if along is None:
            raise empty(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
                "Specify the reduction dim with the 'dim' argument."
            )
        for each in along if isinstance(along, tuple) else (along,):
            if not input.shape[each]:
                raise IndexError(f"{name}(): Expected reduction dim {each} to have non-zero size.")
    if input.dtype.kind == "c" and kernel is not None:
        raise refuse(kernel, input)


def check_both(input, along):
    """As `check`; `aminmax` has words of its own."""
    if not input.size:
        if along is None:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
        if not input.shape[along]:
            raise IndexError(f"aminmax: Expected reduction dim {along} to have non-zero size.")
    if input.dtype.kind == "c":
        raise refuse("aminmax_cpu", input)


def refuse_kinds(input, name, kinds):
    """Refuse numbers without an order, before anything is said of dimensions."""
    if input.dtype.kind in kinds:
        raise RuntimeError(f"{name}(): does not support {'bool' if input.dtype.kind == 'b' else 'complex'} input")


def shared(grad, input, result, dim, keepdim):
    """The gradient split evenly between the elements that equal the result."""
    dims = reduced_dims(dim, input.ndim)
    chosen = input == spread(result, input.shape, dim, keepdim)
    if not keepdim and grad.ndim < input.ndim:
        grad = grad.reshape(kept_shape(input.shape, dim))
    # a NaN equals nothing, not even by itself: its share is one of none
    return grad / (chosen.sum(dims, True) if input.ndim else chosen.sum()) * chosen


amax.gradient(input=shared)
amin.gradient(input=shared)


@op(
    dtype=SAME,
    batch=OVER,
    layout=STRICT_ROWS,
    returns=("min", "max"),
    samples=cases(
        lambda make: [
            case(make.distinct(3, 4)),
            case(make.distinct(3, 4), dim=1),
            corner(make.ints(3, 4, low=0, high=3).astype("float32"), dim=0, keepdim=True),
            case(make.floats()),
            case(make.floats(), dim=0, keepdim=True),
            case(make.bools(4)),
            corner(np.array([1, np.nan, 2], "float32")),
            case(make.floats(0, 3)),
            case(make.floats(0, 3), dim=0),
            case(make.floats(0, 3), dim=1),
        ]
    ),
)
def aminmax(input, *, dim=None, keepdim=False, out=None):
    """Smallest and largest element, over everything or over one dimension.

    >>> torch.tensor([3, -1, 2]).aminmax()
    torch.return_types.aminmax(
    min=tensor(-1),
    max=tensor(3))
    """
    along = None if dim is None else axis(dim, input.ndim)
    along = along if input.ndim else None
    check_both(input, along)
    return fold(np.minimum, input, along, keepdim), fold(np.maximum, input, along, keepdim)


aminmax.gradient(
    input=lambda grads, input, min, max, dim, keepdim: aminmax_gradient(grads, input, min, max, dim, keepdim)
)


def aminmax_gradient(grads, input, min, max, dim, keepdim):
    parts = [
        shared(grad, input, result, dim, keepdim)
        for grad, result in zip(grads, (min, max), strict=True)
        if grad is not None
    ]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


@op(dtype=SAME, batch=FLAT_LAST, name="_max_all", node="MaxBackward1", samples=None)
def max_all(input, *, out=None):
    check(input, "max", None, kernel="max_all")
    return fold(np.maximum, input, None)


@op(dtype=SAME, batch=FLAT_LAST, name="_min_all", node="MinBackward1", samples=None)
def min_all(input, *, out=None):
    check(input, "min", None, kernel="min_all")
    return fold(np.minimum, input, None)


def shared_by_all(grad, input, result):
    """As `shared`; a NaN is the result of all NaNs."""
    if is_mapped(result):
        chosen = (input == result) | ((input != input) & (result != result))
    else:
        chosen = input != input if (result != result).item() else input == result
    return grad.new_zeros(input.shape).masked_fill(chosen, grad / chosen.sum())


max_all.gradient(input=shared_by_all)
min_all.gradient(input=shared_by_all)


@op(dtype=SAME, batch=ALONG, name="_max_along", node="MaxBackward0", returns=("values", "indices"), samples=None)
def max_along(input, dim: int, keepdim: bool, *, out=None):
    along = along_one(input, "max", dim)
    return fold(np.maximum, input, along, keepdim), input.argmax(along, keepdims=keepdim)


@op(dtype=SAME, batch=ALONG, name="_min_along", node="MinBackward0", returns=("values", "indices"), samples=None)
def min_along(input, dim: int, keepdim: bool, *, out=None):
    along = along_one(input, "min", dim)
    return fold(np.minimum, input, along, keepdim), input.argmin(along, keepdims=keepdim)


max_along.op.results_name = "max"
min_along.op.results_name = "min"


def along_one(input, name, dim):
    """The one dimension to look along; None for a number, which is its own maximum."""
    along = axis(dim, input.ndim)
    if input.ndim:
        check(input, name, along, IndexError)
    refuse_kinds(input, name, "c")
    return along if input.ndim else None


def to_chosen(grad, indices, input_shape, dim, keepdim):
    """The gradient put where the chosen elements came from, zero elsewhere."""
    if not keepdim and input_shape:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return grad.new_zeros(input_shape).scatter(dim, indices, grad)


max_along.gradient(input=to_chosen)
min_along.gradient(input=to_chosen)


def overloads(make):
    return samples(make, case(make.floats(3, 4), make.floats(4)), case(make.bools(3, 4), 1))


@composed(samples=cases(overloads))
def max(input, dim=None, keepdim=False, *, other=None, axis=None, keepdims=None, out=None):
    """Largest element; or (values, indices) along `dim`; or the larger elements of two tensors.

    >>> x = torch.tensor([[1, 5], [7, 3]])
    >>> x.max()
    tensor(7)
    >>> values, indices = x.max(dim=1)
    >>> indices
    tensor([1, 0])
    """
    require_tensor(input, "max")
    dim = dim if axis is None else axis
    other = dim if isinstance(dim, Tensor) else other
    if other is not None:
        return maximum(input, other, out=out)
    if dim is None:
        return max_all(input, out=out)
    return max_along(input, dim, keepdim if keepdims is None else keepdims, out=out)


@composed(samples=cases(overloads))
def min(input, dim=None, keepdim=False, *, other=None, axis=None, keepdims=None, out=None):
    """Smallest element; or (values, indices) along `dim`; or the smaller elements of two tensors.

    >>> torch.min(torch.tensor([1, 5]), torch.tensor([4, 2]))
    tensor([1, 2])
    >>> torch.tensor([[1, 5], [7, 3]]).min(dim=0).values
    tensor([1, 3])
    """
    require_tensor(input, "min")
    dim = dim if axis is None else axis
    other = dim if isinstance(dim, Tensor) else other
    if other is not None:
        return minimum(input, other, out=out)
    if dim is None:
        return min_all(input, out=out)
    return min_along(input, dim, keepdim if keepdims is None else keepdims, out=out)


def require_tensor(input, name):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")


@op(
    dtype=INDEX,
    batch=OVER,
    samples=cases(lambda make: samples(make, case(make.bools(3)), case(make.distinct(2, 3), None, True))),
)
def argmax(input, dim=None, keepdim=False, *, out=None):
    """Where the largest element stands: along `dim`, or in the flattened input.

    >>> q_values = torch.tensor([[0.1, 0.9], [0.8, 0.2]])
    >>> q_values.argmax(dim=1)
    tensor([1, 0])
    """
    return positions(input, "argmax", dim, keepdim)


@op(
    dtype=INDEX,
    batch=OVER,
    samples=cases(lambda make: samples(make, case(make.bools(3)), case(make.distinct(2, 3), None, True))),
)
def argmin(input, dim=None, keepdim=False, *, out=None):
    """Where the smallest element stands: along `dim`, or in the flattened input.

    >>> torch.tensor([[5, 4], [3, 6]]).argmin()
    tensor(2)
    """
    return positions(input, "argmin", dim, keepdim)


def positions(input, name, dim, keepdim):
    refuse_kinds(input, name, "bc")
    along = None if dim is None else along_one(input, name, dim)
    check(input, name, along, IndexError)
    return getattr(input, name)(along, keepdims=keepdim)
