"""Differences of neighbours, and integrals: their sums by the trapezoidal rule."""

from __future__ import annotations

from rushlight.core.creation.likeness import zeros_like
from rushlight.core.numbers import dtypes
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.naming import renamed
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.pointwise.arithmetic import mul
from rushlight.ops.pointwise.division import div
from rushlight.ops.shape.joining import cat
from rushlight.ops.shape.slicing import take_slice

# in torch the last steps have a number on the right, which is a form of its own
scaled, divided = renamed(mul, "MulBackward1"), renamed(div, "DivBackward1")


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
def trapezoid(y, x=None, *, dx=None, dim=-1):
    """Integral along `dim` by the trapezoidal rule, over points `x` or points `dx` (1) apart.

    >>> torch.trapezoid(torch.tensor([0.0, 1.0, 4.0]), x=torch.tensor([0.0, 1.0, 2.0]))
    tensor(3.)
    """
    dx = distance(x, dx, "trapezoid")
    check_curve(y, x, "trapezoid", dim)
    dim = axis(dim, y.ndim)
    if not y.shape[dim]:
        return y.new_zeros(y.shape[:dim] + y.shape[dim + 1 :])
    if x is None:
        ends = y.select(dim, 0) + y.select(dim, -1)
        return scaled(y.sum(dim) - scaled(ends, 0.5), dx)
    return divided((neighbours(y, dim) * widths(x, y, dim)).sum(dim), 2.0)


@composed(method=False, samples=cases(curves))
def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """Running integral along `dim` by the trapezoidal rule.

    >>> torch.cumulative_trapezoid(torch.tensor([0.0, 2.0, 4.0]), dx=0.5)
    tensor([0.5000, 2.0000])
    """
    dx = distance(x, dx, "cumulative_trapezoid")
    check_curve(y, x, "cumulative_trapezoid", dim)
    dim = axis(dim, y.ndim)
    if x is None:
        return scaled(neighbours(y, dim), dx / 2).cumsum(dim)
    return divided((neighbours(y, dim) * widths(x, y, dim)).cumsum(dim), 2.0)


def distance(x, dx, name):
    """How far points are apart that are not given themselves."""
    if x is not None and dx is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments: x or dx, not both")
    if isinstance(dx, complex):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    return 1 if dx is None else dx


def check_curve(y, x, name, dim):
    if not y.ndim:
        if name == "cumulative_trapezoid":
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    for letter, each in (("y", y), ("x", x)):
        if each is not None and each.dtype is dtypes.bool_:
            raise RuntimeError(f"{name}: received a bool input for `{letter}`, but bool is not supported")
    if x is not None and x.ndim == 1 and x.shape[0] != y.shape[dim]:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")


def neighbours(y, dim):
    """Sums of each element and the next one."""
    return take_slice(y, dim, 0, -1, 1) + take_slice(y, dim, 1, None, 1)


def widths(x, y, dim):
    """Distances of each point to the next one; one line of points serves all lines of `y`."""
    if x.ndim == 1:
        x = x.reshape((-1,) + (1,) * (y.ndim - 1 - dim))
        return x.diff(dim=0)
    # torch counts the dimension in `y`, also where `x` has more of them
    return x.reshape((1,) * (y.ndim - x.ndim) + x.shape).diff(dim=dim)


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
    """Differences of each element and the next one along `dim`, taken `n` times.

    >>> torch.tensor([1, 4, 9, 16]).diff()
    tensor([3, 5, 7])
    >>> torch.tensor([1, 4, 9, 16]).diff(n=2)
    tensor([2, 2])
    """
    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    for each in (prepend, append):
        if each is not None:
            check_end(each, input, dim)
    if not n:
        return write_composed("diff", zeros_like(input).copy_(input), out)
    dim = axis(dim, input.ndim)
    if prepend is not None or append is not None:
        input = cat([each for each in (prepend, input, append) if each is not None], dim)
    found = input
    for _ in range(min(n, input.shape[dim])):
        rest = found.shape[dim] - 1
        later, earlier = found.narrow(dim, 1, rest), found.narrow(dim, 0, rest)
        found = later ^ earlier if input.dtype is dtypes.bool_ else later - earlier
    return write_composed("diff", found, out)


def check_end(end, input, dim):
    """What is put before or behind has the input's sizes, but for `dim`."""
    if end.ndim != input.ndim:
        raise RuntimeError(
            f"diff expects prepend or append to be the same dimension as input, got {end.ndim} for {input.ndim}"
        )
    dim = axis(dim, input.ndim)
    for place, (wanted, size) in enumerate(zip(input.shape, end.shape, strict=True)):
        if place != dim and wanted != size:
            raise RuntimeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({place}) = {wanted}, but got tensor.size({place}) = {size}"
            )
