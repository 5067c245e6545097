"""Histograms: how many elements have a value, or fall into a range of values."""

from __future__ import annotations

import builtins
import math

import numpy as np

from rushlight.core.memory.capacity import MOST, require_room
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.returned import named_results
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.reductions.sorting import refuse

# of more bins their edges are rounded too far from equal steps
MOST_GUESSED = 1 << 12


@op(
    dtype=SAME,
    samples=cases(
        lambda make: [
            case(make.floats(20), 4, -1, 1),
            case(make.floats(4, 5), bins=3),
            case(np.array([1, 1, 1], "float32"), 2),
            case(np.array([1, np.nan, 0.5], "float32"), 4, 0, 3),
            case(np.array([1.0, 2, 5]), 2, 0, 3),
            case(make.floats(0), 3),
            case(make.floats(3), 0),
            case(make.floats(3), 2, 3, 1),
            case(np.array([1, np.inf], "float32")),
            case(make.ints(3), 2),
        ]
    ),
)
def histc(input, bins=100, min=0, max=0, *, out=None):
    """Counts of the elements in equal ranges from `min` to `max`, or from the smallest to the largest.

    >>> torch.histc(torch.tensor([0.1, 0.2, 0.9]), bins=2, min=0, max=1)
    tensor([2., 1.])
    """
    refuse(input, "b", "linspace_cpu")
    refuse(input, "c", "aminmax_cpu" if min == max and input.size else "histogram_cpu")
    refuse(input, "iu", "histogram_cpu")
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    if min == max and input.size:
        min, max = input.min(), input.max()
    if not (np.isfinite(min) and np.isfinite(max)):
        raise RuntimeError(f"torch.histc: range of [{min:g}, {max:g}] is not finite")
    if min == max:
        min, max = min - 1, max + 1
    inside = input[(input >= min) & (input <= max)]
    places = ((inside - min) * bins / (max - min)).astype(np.int64)
    return np.bincount(np.minimum(places, bins - 1), minlength=bins).astype(input.dtype)


@op(
    dtype=SAME,
    samples=cases(
        lambda make: [
            case(make.ints(9, low=0, high=5)),
            case(make.ints(9, low=0, high=5), make.floats(9)),
            case(make.ints(9, low=0, high=5), make.ints(9)),
            case(make.ints(9, low=0, high=5, dtype="uint8"), None, 8),
            case(make.ints(0), minlength=3),
            case(make.ints(2, low=0), make.floats(2, dtype="float64")),
            case(np.array([-1])),
            case(make.ints(2, 2)),
            case(make.floats(2)),
            case(make.bools(2)),
            case(make.ints(2, low=0), make.floats(3)),
            case(make.ints(2, low=0), minlength=-1),
        ]
    ),
    underivable="bincount",
)
def bincount(input, weights: "Tensor" = None, minlength=0):
    """How often each of 0, 1, 2, ... occurs, or the sum of the weights of its occurrences.

    >>> torch.bincount(torch.tensor([0, 3, 3, 1]))
    tensor([1, 1, 0, 2])
    >>> torch.bincount(torch.tensor([0, 1, 1]), weights=torch.tensor([0.5, 0.25, 0.25]))
    tensor([0.5000, 0.5000])
    """
    refuse(input, "bfcV", "bincount_cpu")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if input.ndim != 1 or (input.size and np.minimum.reduce(input) < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    largest = int(np.maximum.reduce(input, initial=0))
    if largest >= MOST:
        raise RuntimeError(f"maximum value of input overflowed, it should be < {MOST} but got {largest}")
    require_room((max(largest + 1, minlength),), 8)
    if weights is None:
        return np.bincount(input, minlength=minlength)
    if weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    kind = np.float32 if weights.dtype == np.float32 else np.float64
    return np.bincount(input, weights.astype(np.float64), minlength).astype(kind)


def counted_samples(make):
    x, edges = make.floats(3, 4), np.array([-1, 0, 0.5, 2], "float32")
    return [
        corner(x, 3),
        corner(x, 4, range=(-1.0, 1.0)),
        corner(x, 4, weight=make.floats(3, 4, low=0)),
        corner(x, 4, density=True),
        corner(x, edges),
        corner(x, edges, weight=make.floats(3, 4, low=0), density=True),
        corner(make.floats(5, dtype="float64"), 2),
        corner(np.ones(3, "float32"), 2),
        corner(make.floats(0), 2),
        corner(np.array([1, np.nan], "float32"), 2),
        case(x, 0),
        case(x, 3, range=(1.0, 0.0)),
        case(x, 3, range=(0.0, np.nan)),
        case(x, edges.astype("float64")),
        case(x, edges[None]),
        case(x, 3, weight=make.floats(2)),
        case(x, 3, weight=make.floats(3, 4, dtype="float64")),
        case(make.ints(4), 2),
    ]


@op(dtype=SAME, samples=cases(counted_samples), returns=("hist", "bin_edges"), underivable="histogram")
def histogram(input, bins: "int | Tensor" = 100, *, range=None, weight: "Tensor" = None, density=False, out=None):
    """Counts, or sums of weights, of the elements in each bin, and the edges of the bins.

    `bins` is their number, in equal steps over `range` or over all elements, or a tensor of the edges.

    >>> counts, edges = torch.histogram(torch.tensor([0.5, 1.5, 1.7]), bins=2, range=(0.0, 2.0))
    >>> counts
    tensor([1., 2.])
    >>> edges
    tensor([0., 1., 2.])
    """
    if isinstance(bins, int) and bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    points = input.reshape(-1, 1)
    flat = weight if weight is None else weight.reshape(-1)
    hist, edges = counted(points, [bins], None if range is None else list(range), flat, density)
    return hist, edges[0] if isinstance(bins, int) else bins.copy()


def dimensional_samples(make):
    x = make.floats(6, 2)
    edges = [np.array([-1, 0, 1], "float32"), np.array([-2, 0.5], "float32")]
    return [
        corner(x, 3),
        corner(x, [3, 2]),
        corner(x, edges),
        corner(x, 2, range=[-1.0, 1.0, 0.0, 2.0]),
        corner(x, [2, 2], weight=make.floats(6, low=0), density=True),
        corner(make.floats(2, 3, 2), 2),
        corner(make.floats(0, 2), 2),
        case(x, [3]),
        case(x, 0),
        case(make.floats(3), 2),
        case(x, 2, range=[0.0, 1.0]),
        case(x, 2, weight=make.floats(5)),
        case(make.ints(3, 2), 2),
    ]


@composed(method=False, samples=cases(dimensional_samples))
def histogramdd(input, bins, range=None, weight=None, density=False):
    """Counts, or sums of weights, of points (..., D) in bins along D dimensions, and the edges along each.

    `bins` is a number for all dimensions, a number for each, or a tensor of edges for each.

    >>> points = torch.tensor([[0.1, 0.9], [0.2, 0.8], [0.9, 0.1]])
    >>> torch.histogramdd(points, bins=[2, 2], range=[0.0, 1.0, 0.0, 1.0]).hist
    tensor([[0., 2.],
            [1., 0.]])
    """
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    dims = input.shape[-1]
    if isinstance(bins, int):
        bins = [bins] * dims
    if len(bins) != dims and isinstance(bins[0], Tensor):
        raise RuntimeError(
            f"torch.histogramdd: expected {dims} sequences of bin edges for a {dims}-dimensional histogram but got "
            f"{len(bins)}"
        )
    if len(bins) != dims:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    if isinstance(bins[0], Tensor):
        hist, edges = between(input, list(bins), range, weight, density), bins
    else:
        hist, *edges = spatial(input, list(bins), range, weight, density)
    return named_results("histogramdd", ("hist", "bin_edges"))(hist, tuple(edges))


@op(dtype=SAME, name="_histogramdd", samples=None, underivable="_histogramdd_from_bin_cts")
def spatial(input, bins: list, range: list, weight: "Tensor" = None, density=False):
    """The histogram, then the edges along each dimension."""
    hist, edges = of_points(input, bins, range, weight, density)
    return (hist, *edges)


@op(
    dtype=SAME,
    operands=["input"],
    name="_histogramdd_from_edges",
    samples=None,
    underivable="_histogramdd_from_bin_tensors",
)
def between(input, edges: "list[Tensor]", range: list, weight: "Tensor" = None, density=False):
    """The histogram between edges that were given."""
    return of_points(input, edges, range, weight, density)[0]


def of_points(input: np.ndarray, bins: list, range, weight, density: bool) -> tuple[np.ndarray, list]:
    """The histogram of points (..., D), and the edges along each dimension."""
    for dim, each in enumerate(bins):
        count = each if isinstance(each, int) else each.size - 1
        if count <= 0:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {count} for dimension {dim}")
    check_weight(input, weight)
    points = input.reshape(-1, input.shape[-1])
    return counted(points, bins, range, weight if weight is None else weight.reshape(-1), density)


def counted(points: np.ndarray, bins: list, bounds, weight, density: bool) -> tuple[np.ndarray, list]:
    """The histogram of points (N, D) in bins along each of the D dimensions."""
    refuse(points, "biuc", "histogramdd")
    check_weight(points, weight)
    edges = all_edges(points, bins, bounds)
    inside = True
    for values, at in zip(points.T, edges, strict=True):
        inside = (values >= at[0]) & (values <= at[-1]) & inside
    if np.count_nonzero(inside) < len(points):
        points, weight = points[inside], weight if weight is None else weight[inside]
    places = [
        bin_places(values, at, isinstance(each, int)) for values, at, each in zip(points.T, edges, bins, strict=True)
    ]
    shape = tuple(len(at) - 1 for at in edges)
    flat = places[0] if len(places) == 1 else np.ravel_multi_index(places, shape)
    chosen = None if weight is None else weight.astype("float64")
    hist = np.bincount(flat, chosen, int(np.prod(shape))).reshape(shape).astype(points.dtype)
    if density:
        hist = hist / hist.sum()
        for dim, at in enumerate(edges):
            hist = hist / np.diff(at).reshape([-1 if each == dim else 1 for each in builtins.range(len(edges))])
    return hist, edges


def bin_places(values: np.ndarray, edges: np.ndarray, even: bool) -> np.ndarray:
    """The bin of each value, all of them between the edges; the last bin has both its edges."""
    count = len(edges) - 1
    low, high = float(edges[0]), float(edges[-1])
    step = (high - low) / count
    rounding = 8 * float(np.finfo(edges.dtype).eps) * builtins.max(abs(low), abs(high))
    if not even or count > MOST_GUESSED or not rounding < step < np.inf:
        return np.minimum(edges.searchsorted(values, "right") - 1, count - 1)
    # a guess that is off by one at most: half the time of a search among 100 bins
    places = np.minimum(((values - low) * (1 / step)).astype(np.intp), count - 1)
    places -= values < edges[places]
    places += values >= edges[places + 1]
    return np.minimum(places, count - 1)


def check_weight(points: np.ndarray, weight: np.ndarray | None) -> None:
    if weight is None:
        return
    if weight.shape != points.shape[:-1]:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
            f"excluding its innermost dimension, but got input with shape {list(points.shape)} and weight with shape "
            f"{list(weight.shape)}"
        )
    if weight.dtype != points.dtype:
        raise explained(
            RuntimeError,
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
            f"dtype, but got input({points.dtype}), and weight({weight.dtype})",
            fix=one_dtype(points.dtype, weight.dtype),
        )


def all_edges(points: np.ndarray, bins: list, bounds: list | None) -> list:
    """The edges of the bins along each dimension."""
    if bounds is not None and len(bounds) != 2 * len(bins):
        raise RuntimeError(
            f"torch.histogramdd: for a {len(bins)}-dimensional histogram range should have {2 * len(bins)} elements, "
            f"but got {len(bounds)}"
        )
    found = []
    for dim, each in enumerate(bins):
        if isinstance(each, np.ndarray):
            check_edges(points, each, dim)
            found.append(each)
        else:
            low, high = outermost(points[:, dim], None if bounds is None else bounds[2 * dim : 2 * dim + 2], dim)
            found.append(equal_steps(low, high, each, points.dtype))
    return found


def equal_steps(low: float, high: float, count: int, kind: np.dtype) -> np.ndarray:
    """As `np.linspace` gives the edges, which takes 12 us for ten of them."""
    low, high = low * 1.0, high * 1.0
    step = (high - low) / count
    if not step or not np.isfinite(step):
        return np.linspace(low, high, count + 1, dtype=kind)
    made = np.arange(count + 1, dtype=np.result_type(low, high, float(count)))
    made *= step
    made += low
    made[-1] = high
    return made.astype(kind, copy=False)


def check_edges(points: np.ndarray, edges: np.ndarray, dim: int) -> None:
    if edges.dtype != points.dtype:
        raise explained(
            RuntimeError,
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
            f"{points.dtype} and bins for dimension {dim} with dtype {edges.dtype}",
            fix=one_dtype(points.dtype, edges.dtype),
        )
    if edges.ndim != 1:
        raise RuntimeError(
            f"torch.histogramdd: bins tensor should have one dimension, but got {edges.ndim} dimensions in the bins "
            f"tensor for dimension {dim}"
        )
    if not edges.size:
        raise RuntimeError(
            f"torch.histogramdd: bins tensor should have at least 1 element, but got none for dimension {dim}"
        )


def outermost(values: np.ndarray, bounds: list | None, dim: int) -> tuple[float, float]:
    """The first and the last edge: as given, or the smallest and the largest element."""
    if bounds is not None:
        low, high = bounds
    elif values.size:
        low, high = values.min(), values.max()
    else:
        low, high = 0.0, 1.0
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension {dim}'s range [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {low} max {high} for dimension {dim}"
        )
    # a range without width: half a step to either side
    return (low - 0.5, high + 0.5) if low == high else (low, high)
