"""Cumulative operations: each element of the result sums up those before it."""

from __future__ import annotations

import numpy as np

from rushlight.core import dtypes
from rushlight.ops.call import torch_scalar
from rushlight.ops.declare import composed, op
from rushlight.ops.dims import axis
from rushlight.ops.gradients import conjugate
from rushlight.ops.joining import cat
from rushlight.ops.out import write_composed
from rushlight.ops.rules import ACCUMULATE, AVERAGE, SAME
from rushlight.ops.samples import case, cases


# as in torch, running sums keep more digits than their elements
WIDE = {np.dtype("float32"): np.dtype("float64"), np.dtype("complex64"): np.dtype("complex128")}


def running(make, *extra):
    """Samples of an op along one dimension."""
    return [
        case(make.floats(3, 4), 1),
        case(make.floats(3, 4), dim=-2),
        case(make.floats(4, 2).T, 0),
        case(make.floats(0, 3), 0),
        case(make.floats(), 0),
        case(make.floats(5, dtype="float64"), 0),
        case(make.floats(3, 4), 2),
        case(make.floats(3, 4)),
        *extra,
    ]


@op(
    dtype=ACCUMULATE,
    inplace=True,
    samples=cases(
        lambda make: running(
            make,
            case(make.ints(3, 4, dtype="int32"), 0),
            case(make.complexes(3), 0),
            case(make.floats(5, dtype="float16"), 0),
        )
    ),
)
def cumsum(input, dim=None, *, dtype=None, out=None):
    """Running sum along `dim`."""
    along = axis(dim, input.ndim)
    return np.add.accumulate(input, along, WIDE.get(dtype, dtype)) if input.ndim else input.copy()


cumsum.gradient(input=lambda grad, dim: grad.flip(dim).cumsum(dim).flip(dim) if grad.ndim else grad)


@op(
    dtype=ACCUMULATE,
    inplace=True,
    samples=cases(
        lambda make: running(
            make,
            case(make.ints(3, 4, dtype="int32"), 0),
            case(make.complexes(3), 0),
            case(np.array([[2.0, 0, 3, 5], [0, 3, 0, 4]], "float32"), 1),
        )
    ),
)
def cumprod(input, dim=None, *, dtype=None, out=None):
    """Running product along `dim`."""
    along = axis(dim, input.ndim)
    return np.multiply.accumulate(input, along, WIDE.get(dtype, dtype)) if input.ndim else input.copy()


cumprod.gradient(input=lambda grad, input, result, dim: cumprod_gradient(grad, input, result, dim))


def cumprod_gradient(grad, input, result, dim):
    """By division where no element is zero, else the product of those before times a sum over those after."""
    if not input.ndim or not input.numel():
        return grad
    if not (input == 0).any():
        return (grad * conjugate(result)).flip(dim).cumsum(dim).flip(dim) / conjugate(input)
    factors = conjugate(input)
    after = chain(grad, factors.narrow(dim, 1, input.shape[dim] - 1), dim, True)
    return product_of_earlier(factors, dim) * after


@op(dtype=SAME, returns=("values", "indices"), samples=cases(lambda make: extremes(make)))
def cummax(input, dim=None, *, out=None):
    """Running maximum along `dim`, and where it last stood."""
    return running_extreme(input, "cummax", dim, np.maximum)


@op(dtype=SAME, returns=("values", "indices"), samples=cases(lambda make: extremes(make)))
def cummin(input, dim=None, *, out=None):
    """Running minimum along `dim`, and where it last stood."""
    return running_extreme(input, "cummin", dim, np.minimum)


def running_extreme(input, name, dim, larger):
    dim = axis(dim, input.ndim)
    if input.dtype.kind == "c":
        raise NotImplementedError(f'"{name}_cpu" not implemented for complex numbers, which have no order')
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    values = larger.accumulate(input, dim)
    places = np.arange(input.shape[dim]).reshape((-1,) + (1,) * (input.ndim - 1 - dim))
    current = (input == values) | (input != input)
    return values, np.maximum.accumulate(np.where(current, places, 0), dim)


cummax.gradient(input=lambda grad, indices, input_shape, dim: add_at(grad, indices, input_shape, dim))
cummin.gradient(input=lambda grad, indices, input_shape, dim: add_at(grad, indices, input_shape, dim))


def add_at(grad, indices, input_shape, dim):
    """Each gradient added where its value came from."""
    return grad.new_zeros(input_shape).scatter_add(dim, indices, grad)


def extremes(make):
    nans = np.array([[1, np.nan, 3], [4, 2, 0]], "float32")
    ties = make.ints(3, 6, low=0, high=3).astype("float32")
    return running(make, case(nans, 1), case(ties, 1), case(make.bools(5), 0), case(make.complexes(3), 0))


@op(
    dtype=AVERAGE,
    samples=cases(
        lambda make: running(
            make,
            case(np.array([-np.inf, -np.inf, 1, np.inf, 2], "float32"), 0),
            case(make.floats(6, low=-300, high=300), 0),
            case(make.floats(5, dtype="float16"), 0),
            case(make.ints(3), 0),
        )
    ),
)
def logcumsumexp(input, dim=None, *, out=None):
    """Logarithm of the running sum of the exponentials along `dim`, without overflow."""
    dim = axis(dim, input.ndim)
    if input.dtype not in dtypes.DIFFERENTIABLE:
        kind = torch_scalar(dtypes.from_numpy(input.dtype))
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{kind}'")
    if not input.size or not input.ndim:
        return input.copy()
    return np.logaddexp.accumulate(input, dim) if input.dtype.kind == "f" else log_of_sums(input, dim)


def log_of_sums(input, dim):
    """The same for complex numbers, whose phase may wind around more than once."""
    found = input.copy()
    places = np.moveaxis(found, dim, 0)
    for before, here in zip(places, places[1:], strict=False):
        first = before.real >= here.real
        large, small = np.where(first, before, here), np.where(first, here, before)
        here[...] = large + np.log1p(np.exp(small - large))
    return found


logcumsumexp.gradient(
    input=lambda grad, input, result, dim: (
        log_gradient(grad, input, result, dim) if grad.numel() > 1 else grad
    )
)


def log_gradient(grad, input, result, dim):
    """The later gradients, each times the share that the place has in its sum; no share overflows."""
    rest = result.shape[dim] - 1
    earlier, later = result.narrow(dim, 0, rest), result.narrow(dim, 1, rest)
    shares = (earlier - later).masked_fill(earlier == later, 0).exp()
    return conjugate((input - result).exp()) * chain(grad, conjugate(shares), dim, True)


def product_of_others(input, dim):
    """For each element the product of all the others along `dim`, without a division."""
    if not input.ndim:
        return input.new_ones(())
    later = chain(one_at(input, dim, -1), input.narrow(dim, 1, input.shape[dim] - 1), dim, True)
    return product_of_earlier(input, dim) * later


def product_of_earlier(input, dim):
    """For each element the product of those before it along `dim`."""
    return chain(one_at(input, dim, 0), input.narrow(dim, 0, input.shape[dim] - 1), dim, False)


def one_at(like, dim, place):
    """Ones in the first or last place of `dim`, zeros elsewhere."""
    found = like.new_zeros(like.shape)
    found.select(dim, place).fill_(1)
    return found


@op(dtype=SAME, name="_chain", samples=None)
def chain(input, links, dim: int, backwards: bool):
    """The recurrence s[k] = input[k] + links[k - 1] s[k - 1], or input[k] + links[k] s[k + 1] `backwards`.

    There is one link fewer than elements. Its gradient is the same recurrence the other way round.
    """
    found = np.moveaxis(input.astype(np.result_type(input, links)), dim, 0)
    links = np.moveaxis(links, dim, 0)
    count = len(found)
    if backwards:
        for place in range(count - 2, -1, -1):
            found[place] += links[place] * found[place + 1]
    else:
        for place in range(1, count):
            found[place] += links[place - 1] * found[place - 1]
    return np.ascontiguousarray(np.moveaxis(found, 0, dim))


chain.gradient(
    input=lambda grad, links, dim, backwards: chain(grad, conjugate(links), dim, not backwards),
    links=lambda grad, links, result, dim, backwards: links_gradient(
        chain(grad, conjugate(links), dim, not backwards), conjugate(result), dim, backwards
    ),
)


def links_gradient(grad, result, dim, backwards):
    rest = result.shape[dim] - 1
    if backwards:
        return grad.narrow(dim, 0, rest) * result.narrow(dim, 1, rest)
    return grad.narrow(dim, 1, rest) * result.narrow(dim, 0, rest)


def curves(make, *extra):
    y = make.floats(3, 4)
    return [
        case(y),
        case(y, dim=0),
        case(y, dx=0.5),
        case(y, make.floats(4)),
        case(y, make.floats(3, 4)),
        case(y, make.floats(3), dim=0),
        case(make.ints(4)),
        case(make.floats(1)),
        case(y, make.floats(5)),
        case(make.bools(3)),
        case(make.floats()),
        *extra,
    ]


@composed(method=False, samples=cases(lambda make: curves(make, case(make.floats(0)))), aliases=["trapz"])
def trapezoid(y, x=None, *, dx=1, dim=-1):
    """Integral along `dim` by the trapezoidal rule, over points `x` or points `dx` apart."""
    check_curve(y, x, "trapezoid", dim)
    dim = axis(dim, y.ndim)
    if not y.shape[dim]:
        return y.new_zeros(y.shape[:dim] + y.shape[dim + 1 :])
    if x is None:
        ends = y.select(dim, 0) + y.select(dim, -1)
        return (y.sum(dim) - ends * 0.5) * dx
    return (widths(x, y, dim) * neighbours(y, dim)).sum(dim) / 2.0


@composed(method=False, samples=cases(curves))
def cumulative_trapezoid(y, x=None, *, dx=1, dim=-1):
    """Running integral along `dim` by the trapezoidal rule."""
    check_curve(y, x, "cumulative_trapezoid", dim)
    dim = axis(dim, y.ndim)
    if x is None:
        return (neighbours(y, dim) * (dx / 2)).cumsum(dim)
    return (widths(x, y, dim) * neighbours(y, dim)).cumsum(dim) / 2.0


def check_curve(y, x, name, dim):
    if not y.ndim:
        raise IndexError(f"{name}: Dimension specified as {dim} but tensor has no dimensions")
    for letter, each in (("y", y), ("x", x)):
        if each is not None and each.dtype is dtypes.bool_:
            raise RuntimeError(f"{name}: received a bool input for `{letter}`, but bool is not supported")
    if x is not None and x.ndim == 1 and x.shape[0] != y.shape[dim]:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")


def neighbours(y, dim):
    """Sums of each element and the next one."""
    rest = y.shape[dim] - 1
    return y.narrow(dim, 0, rest) + y.narrow(dim, 1, rest)


def widths(x, y, dim):
    """Distances of each point to the next one; one line of points serves all lines of `y`."""
    if x.ndim == 1:
        x = x.reshape((-1,) + (1,) * (y.ndim - 1 - dim))
        return x.diff(dim=0)
    return x.diff(dim=dim - y.ndim)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(3, 4), 2, 0),
            case(make.floats(3, 4), n=0),
            case(make.floats(3, 4), n=9),
            case(make.ints(5), prepend=make.ints(2), append=make.ints(1)),
            case(make.floats(3, 4), dim=0, prepend=make.floats(1, 4)),
            case(make.bools(5)),
            case(make.floats(0, 3)),
            case(make.floats()),
            case(make.floats(3), -1),
        ]
    )
)
def diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None):
    """Differences of each element and the next one along `dim`, taken `n` times."""
    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if not n:
        return write_composed("diff", input.clone(), out)
    if prepend is not None or append is not None:
        input = cat([each for each in (prepend, input, append) if each is not None], dim)
    found = input
    for _ in range(min(n, input.shape[dim])):
        rest = found.shape[dim] - 1
        later, earlier = found.narrow(dim, 1, rest), found.narrow(dim, 0, rest)
        found = later ^ earlier if input.dtype is dtypes.bool_ else later - earlier
    return write_composed("diff", found, out)
