"""Quantiles: medians, modes and quantiles."""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axis as counted
from rushlight.ops.machine.layouts import ROWS
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.level import all_numbers
from rushlight.ops.machine.transforms.view_words import FLAT_LAST
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.reductions.maxima import shared_by_all, to_chosen
from rushlight.ops.reductions.selecting import FEW, in_places, ranks_of, sorted_places
from rushlight.ops.reductions.sorting import chosen, order, place_of, refuse, sort, take_along


def samples(make, *extra):
    nans = np.array([[1, np.nan, 3, 2], [4, 2, 0, 7]], "float32")
    return [
        case(make.distinct(3, 4)),
        case(make.distinct(3, 4), 1),
        case(make.distinct(3, 5), dim=0, keepdim=True),
        corner(nans),
        corner(nans, 1),
        corner(np.full((2, 2), np.nan, "float32"), 1),
        case(make.floats()),
        case(make.floats(), 0),
        case(make.ints(3, 5), 1),
        case(make.distinct(4, 3).T, 1),
        case(make.distinct(5).astype("float16"), 0),
        case(make.floats(0, 3)),
        case(make.floats(0, 3), 0),
        case(make.floats(0, 3), 1),
        case(make.bools(3), 0),
        case(make.floats(3), 1),
        *extra,
    ]


@composed(samples=cases(samples))
def median(input, dim=None, keepdim=False, *, axis=None, keepdims=None, out=None):
    """The middle element, the lower one of two, NaN if there is one; along `dim` also where it stands.

    >>> torch.tensor([9.0, 1.0, 2.0, 3.0]).median()
    tensor(2.)
    >>> torch.tensor([[9, 1, 2]]).median(dim=1).indices
    tensor([2])
    """
    dim = dim if axis is None else axis
    if dim is None:
        return median_all(input, out=out)
    return median_along(input, dim, keepdim if keepdims is None else keepdims, out=out)


@composed(samples=cases(samples))
def nanmedian(input, dim=None, keepdim=False, *, axis=None, keepdims=None, out=None):
    """The element in the middle of those that are not NaN; along `dim` also where it stands.

    >>> torch.tensor([math.nan, 1.0, 2.0, 3.0]).nanmedian()
    tensor(2.)
    """
    dim = dim if axis is None else axis
    if dim is None:
        return nanmedian_all(input, out=out)
    return nanmedian_along(input, dim, keepdim if keepdims is None else keepdims, out=out)


@op(dtype=SAME, batch=FLAT_LAST, name="_median_all", node="MedianBackward0", samples=None)
def median_all(input, *, out=None):
    return middle_of_all(input, False)


@op(dtype=SAME, batch=FLAT_LAST, name="_nanmedian_all", node="NanmedianBackward0", samples=None)
def nanmedian_all(input, *, out=None):
    return middle_of_all(input, True)


median_all.gradient(input=shared_by_all)
nanmedian_all.gradient(input=shared_by_all)


@op(
    dtype=SAME,
    batch=ALONG,
    layout=ROWS,
    name="_median_along",
    node="MedianBackward1",
    returns=("values", "indices"),
    samples=None,
)
def median_along(input, dim: int, keepdim: bool, *, out=None):
    return middle(input, dim, keepdim, False)


@op(
    dtype=SAME,
    batch=ALONG,
    layout=ROWS,
    name="_nanmedian_along",
    node="NanmedianBackward1",
    returns=("values", "indices"),
    samples=None,
)
def nanmedian_along(input, dim: int, keepdim: bool, *, out=None):
    return middle(input, dim, keepdim, True)


median_along.op.results_name = "median"
nanmedian_along.op.results_name = "nanmedian"
median_along.gradient(input=to_chosen)
nanmedian_along.gradient(input=to_chosen)


def middle_of_all(input, skip_nan):
    if not input.size:
        return np.array(np.nan).astype(input.dtype)
    refuse(input, "bc", "median_cpu")
    flat = input.reshape(-1)
    if not skip_nan and input.dtype not in dtypes.HALF:
        rank = (flat.size - 1) // 2
        parted = np.partition(flat, rank)
        # NaN, which comes last, where there is one
        largest = parted[rank:].max()
        return np.array(parted[rank] if largest == largest else largest)
    return middle(flat, 0, False, skip_nan)[0]


def middle(input, dim, keepdim, skip_nan):
    """The lower middle element along `dim` and its index; the first NaN unless those are skipped."""
    dim = counted(dim, input.ndim)
    if input.ndim and not input.shape[dim]:
        raise IndexError(f"median(): Expected reduction dim {dim} to have non-zero size.")
    refuse(input, "bc", "median_out")
    if input.ndim and not has_nan(input):
        return chosen(input, place_of(input, (input.shape[dim] - 1) // 2, dim), dim, keepdim)
    indices = order(input, dim)
    if not input.ndim:
        return input.copy(), indices
    # NaN stands last in order: the last place holds one wherever there is one
    nans = np.add.reduce(input != input, dim, np.int64, keepdims=True)
    count = input.shape[dim]
    if skip_nan:
        place = np.maximum(count - nans - 1, 0) // 2
    else:
        place = np.where(nans > 0, count - nans, (count - 1) // 2)
    return chosen(input, take_along(indices, place, dim), dim, keepdim)


def has_nan(input) -> bool:
    return input.dtype.kind not in "iu" and bool((input != input).any())


@op(
    dtype=SAME,
    batch=ALONG,
    returns=("values", "indices"),
    samples=cases(
        lambda make: [
            case(make.ints(3, 7, low=0, high=3)),
            corner(make.ints(3, 7, low=0, high=3).astype("float32"), 1),
            case(make.ints(7, 3, low=0, high=3), 0, True),
            case(make.floats()),
            case(make.bools(5)),
            case(make.floats(0, 3), 1),
            case(make.floats(0, 3), 0),
            case(make.complexes(3)),
        ]
    ),
)
def mode(input, dim=-1, keepdim=False, *, out=None):
    """The most frequent element along `dim`, the smallest one of several, and where it last stands.

    >>> torch.tensor([2, 1, 2, 3]).mode()
    torch.return_types.mode(
    values=tensor(2),
    indices=tensor(2))
    """
    dim = counted(dim, input.ndim)
    if input.ndim and not input.shape[dim]:
        raise IndexError(f"mode(): Expected reduction dim {dim} to have non-zero size.")
    if not input.ndim:
        return input.copy(), np.zeros((), np.int64)
    if input.size:
        refuse(input, "c", "mode_cpu")
    indices = order(input, dim)
    ordered = np.moveaxis(take_along(input, indices, dim), dim, -1)
    places = np.arange(ordered.shape[-1])
    starts = np.zeros(ordered.shape, np.int64)
    starts[..., 1:] = np.where(ordered[..., 1:] != ordered[..., :-1], places[1:], 0)
    # the run grows to its end, so the first longest one is the last of its equals
    lengths = places - np.maximum.accumulate(starts, -1)
    longest = lengths.argmax(-1, keepdims=True)
    found = take_along(indices, np.moveaxis(longest, -1, dim), dim)
    if ordered.shape[-1] > FEW and found.size:
        rows, ranks, target = np.moveaxis(indices, dim, -1), ranks_of(ordered), np.moveaxis(found, dim, -1)
        for row in np.ndindex(target.shape[:-1]):
            target[row] = sorted_places(in_places(rows[row], ranks[row]))[longest[row]]
    return chosen(input, found, dim, keepdim)


mode.gradient(input=to_chosen)
INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def quantile_samples(make):
    x = make.distinct(3, 5)
    nans = np.array([[1, np.nan, 3, 2], [4, 2, 0, 7]], "float32")
    return [
        case(x, 0.3),
        case(x, 0.3, 1),
        corner(x, np.array([0, 0.25, 0.8, 1], "float32"), 0, True),
        corner(x, np.array([0.5], "float32"), dim=1),
        case(x, 0.5, keepdim=True),
        *[case(x, 0.3, 1, interpolation=each) for each in INTERPOLATIONS],
        corner(nans, 0.3, 1),
        corner(nans, 0.7),
        corner(np.full(2, np.nan, "float32"), 0.7),
        case(make.floats(), 0.5),
        case(x.astype("float64"), 0.5, 1),
        case(x, 1.5),
        case(x, np.array([1.5], "float32")),
        corner(x, np.array([0.5])),
        case(x, np.array([[0.5]], "float32")),
        case(make.ints(3), 0.5),
        case(make.floats(0), 0.5),
        case(x, 0.5, interpolation="cubic"),
        case(x, 0.5, 2),
    ]


@composed(samples=cases(quantile_samples))
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", axis=None, keepdims=None, out=None):
    """The `q`-th quantiles along `dim`, between two elements by `interpolation`; NaN where there is one.

    >>> torch.tensor([0.0, 1.0, 2.0, 3.0]).quantile(torch.tensor([0.25, 0.5]))
    tensor([0.7500, 1.5000])
    >>> torch.tensor([0.0, 1.0, 2.0, 3.0]).quantile(0.5, interpolation="lower")
    tensor(1.)
    """
    dim, keepdim = (dim if axis is None else axis), (keepdim if keepdims is None else keepdims)
    return write_composed("quantile", quantiles("quantile", input, q, dim, keepdim, interpolation), out)


@composed(samples=cases(quantile_samples))
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", axis=None, keepdims=None, out=None):
    """The `q`-th quantiles along `dim` of the elements that are not NaN.

    >>> torch.tensor([0.0, math.nan, 10.0]).nanquantile(0.25)
    tensor(2.5000)
    """
    dim, keepdim = (dim if axis is None else axis), (keepdim if keepdims is None else keepdims)
    return write_composed("nanquantile", quantiles("nanquantile", input, q, dim, keepdim, interpolation), out)


def quantiles(name, input, q, dim, keepdim, interpolation):
    """Sort, find the rank of each quantile, and mix the elements on both sides of it."""
    q = check_quantile(name, input, q, interpolation)
    along = 0 if dim is None else counted(dim, input.ndim)
    if dim is None or not input.ndim:
        lines = input.reshape((1,) * (input.ndim if keepdim else 0) + (-1,))
    else:
        # with keepdim, a dimension of size 1 stays where the reduced one was
        lines = input.unsqueeze(-1).transpose(along, -1) if keepdim else input.movedim(along, -1)
    ordered = sort(lines, -1).values
    last = ordered.shape[-1] - 1
    nans = (ordered != ordered).sum(-1, True)
    many = q.reshape(-1) if isinstance(q, Tensor) else input.new_full((1,), q)
    if name == "nanquantile":
        ranks = many * (last - nans).clamp(min=0)
    else:
        # a rank at the end of a line with NaN in it picks one
        ranks = (many * last).expand(*lines.shape[:-1], -1).where(nans == 0, input.new_full((), last))
    found = interpolated(ordered, ranks, interpolation)
    if isinstance(q, Tensor) and q.ndim:
        found = found.unsqueeze(0).transpose(0, -1)
    return found.squeeze_(-1)


def interpolated(ordered, ranks, interpolation):
    if interpolation == "nearest":
        ranks = ranks.round()
    elif interpolation == "higher":
        ranks = ranks.ceil()
    below = ranks.floor().long()
    lower = ordered.gather(-1, below)
    if interpolation in ("lower", "higher", "nearest"):
        return lower
    upper = ordered.gather(-1, ranks.ceil().long())
    return lower.lerp(upper, ranks - below if interpolation == "linear" else 0.5)


def check_quantile(name, input, q, interpolation):
    """torch's conditions on the arguments; a number is returned as it is."""
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of {', '.join(INTERPOLATIONS[:-1])} or nearest, "
            f"but got {interpolation}"
        )
    if not input.numel():
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
        return q
    if q.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if q.dtype is not input.dtype:
        words = f"{name}() q tensor must be same dtype as the input tensor"
        raise explained(RuntimeError, words, fix=one_dtype(q.dtype, input.dtype))
    given = all_numbers(q)
    if not ((given >= 0) & (given <= 1)).all():
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    return q
