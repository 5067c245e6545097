"""Scattered reductions: values summed, multiplied, averaged or compared at the positions an index gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.object.tensor import Tensor
from rushlight.errors.refusals import no_kernel
from rushlight.ops.indexing.gathering import check_along, gather
from rushlight.ops.indexing.indexing import part_into
from rushlight.ops.indexing.placing import check_parts
from rushlight.ops.indexing.scattering import check_source, used
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.index_words import PLACED
from rushlight.ops.machine.transforms.level import is_mapped
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.machine.writing import fold_along, fold_at, overwrite, places, places_along, scalar_name, target_of

NO_ORDER = "complex numbers have no order: compare abs() instead"
REDUCTIONS = {"sum": np.add, "prod": np.multiply, "mean": np.add, "amax": np.maximum, "amin": np.minimum}
OTHER_NAMES = {"max": "amax", "min": "amin"}


def reduce_at(target: np.ndarray, where: np.ndarray, values: np.ndarray, reduce: str, include_self: bool) -> None:
    """Bring the values together at flat places of a contiguous array, with or without what stands there."""
    flat, where, values = target.reshape(-1), where.reshape(-1), values.reshape(-1)
    if not include_self:
        flat[where] = start_of(reduce, target.dtype)
    fold_at(flat, where, values, REDUCTIONS[reduce])
    if reduce == "mean":
        counts = np.bincount(where, minlength=flat.size) + include_self
        several = counts > 1
        counts = counts[several]
        found = flat[several]
        flat[several] = found // counts if flat.dtype.kind in "iu" else found / counts


def start_of(reduce: str, kind: np.dtype) -> float:
    """The number that changes nothing when it is reduced with another."""
    if reduce not in ("amax", "amin"):
        return 1 if reduce == "prod" else 0
    if kind.kind == "b":
        return reduce == "amin"
    if kind.kind in "iu":
        return np.iinfo(kind).min if reduce == "amax" else np.iinfo(kind).max
    return -np.inf if reduce == "amax" else np.inf


def make_samples(make):
    x, index = make.floats(3, 4), np.array([[0, 0, 1], [2, 3, 2]])
    found = []
    for reduce in ("sum", "prod", "mean", "amax", "amin"):
        found += [
            case(x, 1, index, make.floats(2, 3), reduce),
            case(x, 1, index, make.floats(2, 3), reduce, include_self=False),
            case(make.floats(4, 3).T, -1, index.astype("int32"), make.floats(3, 4), reduce),
            case(make.ints(4), 0, np.array([1, 1, 2]), make.ints(3), reduce, include_self=False),
            case(make.floats(), 0, np.array(0), make.floats(), reduce),
        ]
    zeros = np.array([0.0, 2, 0, 3, 0, 0], "float32")
    return [
        *found,
        corner(x[0], 0, np.array([0, 0, 1, 1, 2, 2]), zeros, "prod"),
        case(zeros, 0, np.array([0, 0, 1, 1, 2]), make.floats(5), "prod"),
        corner(x[0], 0, np.array([0, 0, 1]), np.array([1, 1, np.nan], "float32"), "amax"),
        corner(x[0], 0, np.array([0, 0, 0]), np.ones(3, "float32") * 5, "amax"),
        case(x[0], 0, np.array([], "int64"), make.floats(3), "mean"),
        case(make.bools(4), 0, np.array([1, 1]), make.bools(2), "amax"),
        case(x[0], 0, np.array([1]), make.floats(1), "median"),
        case(x[0], 0, np.array([4]), make.floats(1), "sum"),
        case(x[0], 0, np.array([1]), make.floats(1, dtype="float64"), "sum"),
    ]


@op(dtype=SAME, batch=ALONG, inplace=overwrite, samples=cases(make_samples))
def scatter_reduce(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self=True, out=None):
    """The input with `src` reduced into the elements whose position along `dim` the index gives.

    `reduce` is sum, prod, mean, amax or amin; without `include_self` the input's own elements are left out.

    >>> groups = torch.tensor([0, 1, 0])
    >>> torch.zeros(2).scatter_reduce(0, groups, torch.tensor([4.0, 5.0, 6.0]), "mean", include_self=False)
    tensor([5., 5.])
    """
    reduce = OTHER_NAMES.get(reduce, reduce)
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if input.dtype.kind == "b" and reduce == "mean":
        raise no_kernel("scatter_gather_tensor_cpu_reduce_mean", "Bool")
    if input.dtype.kind == "c" and reduce in ("amax", "amin"):
        raise no_kernel(f"scatter_gather_tensor_cpu_reduce_{reduce}", scalar_name(input), fix=NO_ORDER)
    require_bool(include_self, "scatter_reduce")
    result = target_of(input, out)
    flat, dim, index = check_along("scatter_reduce", result, dim, index)
    src = check_source(flat, dim, index, src)
    if index.size and include_self and reduce != "mean":
        fold_along(flat, dim, index, src, REDUCTIONS[reduce])
    elif index.size:
        reduce_at(flat, places_along(flat.shape, dim, index), src, reduce, include_self)
    return result


def require_bool(include_self: Any, name: str) -> None:
    """Refuse before anything is written."""
    if not isinstance(include_self, bool):
        raise TypeError(f"{name}(): argument 'include_self' must be bool, not {type(include_self).__name__}")


scatter_reduce.gradient(
    input=lambda grad, input, dim, index, src, reduce, include_self, result: input_gradient(
        grad, input, dim, index, src, reduce, include_self, result
    ),
    src=lambda grad, input, dim, index, src, reduce, include_self, result: src_gradient(
        grad, input, dim, index, src, reduce, include_self, result
    ),
)
scatter_reduce.op.refuse_complex_gradients()


def input_gradient(grad, input, dim, index, src, reduce, include_self, result):
    """What an element of the input receives for its share in the result."""
    reduce = OTHER_NAMES.get(reduce, reduce)
    if reduce == "prod":
        ones = input.masked_fill(input == 0, 1)
        found = grad * ones.scatter_reduce(dim, index, src, "prod", include_self=include_self) / ones
    elif reduce == "mean":
        found = grad / counts(input, dim, index, include_self)
    elif reduce == "sum":
        found = grad
    else:
        found = grad / winners(input, dim, index, used_part(src, index), result) * (input == result)
    return found if include_self else found.scatter(dim, index, 0)


def src_gradient(grad, input, dim, index, src, reduce, include_self, result):
    """What an element of the source receives for its share in the result."""
    reduce = OTHER_NAMES.get(reduce, reduce)
    shape = src.shape
    src = used_part(src, index)
    if reduce == "prod":
        found = prod_gradient(grad, input, dim, index, src, include_self, result)
    elif reduce == "mean":
        found = gather(grad / counts(input, dim, index, include_self), dim, index)
    elif reduce == "sum":
        found = gather(grad, dim, index)
    else:
        share = gather(grad / winners(input, dim, index, src, result), dim, index)
        found = share * (src == gather(result, dim, index))
    return found if found.shape == shape else part_into(found, used(index), shape)


def used_part(src: Tensor, index: Tensor) -> Tensor:
    return src if src.shape == index.shape or not index.numel() else src[used(index)]


def prod_gradient(grad, input, dim, index, src, include_self, result):
    """The product of all the others: the result divided by the element, unless it is the only zero there."""
    zero = src == 0
    zeros = gather(input.new_zeros(input.shape).scatter_add(dim, index, zero.to(src.dtype)), dim, index)
    if state.grad and not is_mapped(zeros) and (zeros > 1).any():
        raise RuntimeError(
            "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to "
            "the same position in self"
        )
    only = zero & (zeros == 1)
    others = input.scatter_reduce(dim, index, src.masked_fill(only, 1), "prod", include_self=include_self)
    divided = gather(grad * result, dim, index) / src.masked_fill(zero, 1)
    return gather(grad * others, dim, index).where(only, divided)


def counts(input: Tensor, dim: int, index: Tensor, include_self: bool) -> Tensor:
    """How many elements met at each place; 1 where none did."""
    own = input.detach().new_full(input.shape, int(include_self))
    found = own.scatter_add(dim, index, own.new_full(index.shape, 1))
    return found.masked_fill(found == 0, 1)


def winners(input: Tensor, dim: int, index: Tensor, src: Tensor, result: Tensor) -> Tensor:
    """How many elements share each extreme: they receive equal parts of its gradient."""
    own = (input == result).to(input.dtype)
    return own.scatter_add(dim, index, (src == gather(result, dim, index)).to(input.dtype))


@op(
    dtype=SAME,
    batch=PLACED,
    inplace=overwrite,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0, np.array([0, 2, 0]), make.floats(3, 4), "prod"),
            case(make.floats(3, 4), 1, np.array([0, 2]), make.floats(3, 2), "mean", include_self=False),
            case(make.floats(4, 3).T, -1, np.array([0, 0], "int32"), make.floats(3, 2), "amax"),
            case(make.ints(4), 0, np.array([1, 1, 2]), make.ints(3), "amin"),
            case(make.floats(), 0, np.array(0), make.floats(), "prod"),
            case(make.floats(3), 0, np.array([1]), make.floats(1), "sum"),
            case(make.floats(3), 0, np.array([3]), make.floats(1), "prod"),
            case(make.floats(3), 0, np.array([1]), make.floats(2), "prod"),
        ]
    ),
)
def index_reduce(input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self=True, out=None):
    """The input with the parts of `source` reduced into those at the given positions along `dim`.

    `reduce` is prod, mean, amax or amin; without `include_self` the input's own elements are left out.

    >>> rows = torch.tensor([[1.0, 9.0], [5.0, 2.0]])
    >>> torch.zeros(1, 2).index_reduce(0, torch.tensor([0, 0]), rows, "amax")
    tensor([[5., 9.]])
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    refuse_kinds(input, reduce, include_self)
    require_bool(include_self, "index_reduce")
    result = target_of(input, out)
    flat, dim, index, source = check_parts("index_reduce_", result, dim, index, source)
    if index.size:
        reduce_at(flat, places(flat.shape, (dim,), [index]), source, reduce, include_self)
    return result


def refuse_kinds(input: np.ndarray, reduce: str, include_self: bool) -> None:
    """Refuse bools and complex numbers where torch has no loop for them: it has several of one name each."""
    if input.dtype.kind not in "bc":
        return
    if not include_self:
        raise no_kernel("index_reduce_func_exclude_input_init", scalar_name(input))
    if input.ndim < 2:
        raise no_kernel("index_func_", scalar_name(input))
    if input.dtype.kind == "b" and reduce == "mean":
        raise no_kernel("div_floor_cpu", "Bool")
    if input.dtype.kind == "c" and reduce in ("amax", "amin"):
        raise no_kernel(f"{reduce[1:]}imum_cpu", scalar_name(input), fix=NO_ORDER)


def spread_index(index: Tensor, dim: int, source: Tensor) -> Tensor:
    """The index of `scatter_reduce` that does what a vector of positions does."""
    ndim = source._array.ndim
    if not ndim:
        return index.reshape(())
    return index.reshape([-1 if place == axis(dim, ndim) else 1 for place in range(ndim)]).expand(source.shape)


index_reduce.gradient(
    input=lambda grad, input, dim, index, source, reduce, include_self, result: input_gradient(
        grad, input, dim, spread_index(index, dim, source), source, reduce, include_self, result
    ),
    source=lambda grad, input, dim, index, source, reduce, include_self, result: src_gradient(
        grad, input, dim, spread_index(index, dim, source), source, reduce, include_self, result
    ),
)
index_reduce.op.refuse_complex_gradients()
