"""Scattering: values written, added or multiplied into a tensor at positions along a dimension."""

from __future__ import annotations

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.indexing.gathering import check_along, gather
from rushlight.ops.indexing.indexing import part_into
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.words import ALONG
from rushlight.ops.machine.writing import fold_along, grid, number_for, overwrite, target_of

REDUCTIONS = {"add": np.add, "multiply": np.multiply}


def check_source(input: np.ndarray, dim: int, index: np.ndarray, src: np.ndarray) -> np.ndarray:
    """The part of `src` that the index speaks of."""
    if src.dtype != input.dtype:
        raise RuntimeError(
            f"scatter(): Expected self.dtype to be equal to src.dtype; they are {input.dtype} and {src.dtype}"
        )
    src = src if src.ndim else src.reshape(1)
    if index.size and src.ndim < index.ndim and all([a <= b for a, b in zip(index.shape, src.shape, strict=False)]):
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-src.ndim}, {src.ndim - 1}], but got {src.ndim}): "
            "Index tensor must have the same number of dimensions as src tensor"
        )
    if index.size and src.ndim != index.ndim:
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    fits = all(
        size <= have and (place == dim or size <= input.shape[place])
        for place, (size, have) in enumerate(zip(index.shape, src.shape, strict=False))
    )
    if not fits and index.size:
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from "
            f"dimension {dim} and to be no larger size than src {list(src.shape)}"
        )
    # an index without elements may have any number of dimensions
    return src if src.shape == index.shape or not index.size else src[tuple([slice(size) for size in index.shape])]


def check_self(input: np.ndarray, dim: int, index: np.ndarray) -> None:
    if not index.size:
        return
    if any(place != dim and size > input.shape[place] for place, size in enumerate(index.shape)):
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from "
            f"dimension {dim}"
        )


def source_gradient(grad: Tensor, dim: int, index: Tensor, shape: tuple[int, ...]) -> Tensor:
    """What the written elements receive, zero for the part of the source that was not used."""
    found = gather(grad, dim, index)
    return found if found._array.shape == shape else part_into(found, used(index), shape)


def used(index: Tensor) -> tuple:
    return tuple([slice(size) for size in index._array.shape])


def refuse_reduce(name: str, reduce: str | None) -> None:
    if reduce is not None:
        raise RuntimeError(f"derivative for aten::{name} is not implemented with reduce=: use scatter_reduce")


@op(
    dtype=SAME,
    batch=ALONG,
    inplace=overwrite,
    node=lambda src, reduce: "ScatterBackward0" if isinstance(src, Tensor) else "ScatterBackward1",
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 1, np.array([[0, 1], [2, 3]]), make.floats(2, 2)),
            case(make.floats(3, 4), 0, np.array([[2, 1, 0, 2]]), make.floats(2, 5)),
            corner(make.floats(3), 0, np.array([1, 1]), make.floats(2)),
            case(make.floats(3, 4), -1, np.array([[1], [0]], "int32"), 1.5),
            case(make.floats(3, 4), 1, np.array([[1], [0]]), value=2),
            case(make.floats(2, 3, 2), 1, make.ints(2, 1, 2, low=0, high=3), src=make.floats(2, 1, 2)),
            case(make.floats(4, 3).T, 1, np.array([[0, 1], [2, 3]]), make.floats(2, 2)),
            case(make.ints(4), 0, np.array([1, 1]), 2, reduce="add"),
            case(make.ints(4), 0, np.array([1, 1]), np.array([2, 3]), reduce="multiply"),
            case(make.floats(), 0, np.array(0), make.floats()),
            case(make.floats(3), 0, np.array([], "int64"), make.floats(3)),
            case(make.floats(3), 0, np.array([3]), 1.0),
            case(make.floats(3), 0, np.array([-1]), 1.0),
            case(make.floats(3), 0, np.array([1, 1]), make.floats(1)),
            case(make.floats(3), 0, np.array([1, 0]), make.floats(2, dtype="float64")),
            case(make.floats(3), 0, make.floats(2), 1.0),
            case(make.floats(3), 1, np.array([1]), 1.0),
            case(make.floats(3), 0, np.array([1]), 1.0, reduce="mean"),
        ]
    ),
)
def scatter(input: Tensor, dim: int, index: Tensor, src: Tensor | float = None, *, value=None, reduce=None, out=None):
    """The input with `src`, or one value, written where the index gives the position along `dim`.

    >>> torch.zeros(2, 3).scatter(1, torch.tensor([[2], [0]]), 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    src = value if src is None else src
    if src is None:
        raise TypeError("scatter() missing 1 required positional arguments: 'src' (a Tensor) or 'value' (a Number)")
    result = target_of(input, out)
    flat, dim, index = check_along("scatter", result, dim, index)
    if isinstance(src, np.ndarray):
        src = check_source(flat, dim, index, src)
    else:
        check_self(flat, dim, index)
        src = number_for(src, input.dtype) if index.size else 0
    if reduce is not None and reduce not in REDUCTIONS:
        raise RuntimeError("reduce argument must be either add or multiply.")
    if not index.size:
        return result
    if reduce is None:
        flat[grid(index, dim)] = src
    else:
        REDUCTIONS[reduce].at(flat, grid(index, dim), src)
    return result


def scatter_input_gradient(grad, dim, index, reduce):
    refuse_reduce("scatter", reduce)
    return grad.scatter(dim, index, 0)


def scatter_src_gradient(grad, dim, index, src_shape, reduce):
    refuse_reduce("scatter", reduce)
    return source_gradient(grad, dim, index, src_shape)


scatter.gradient(input=scatter_input_gradient, src=scatter_src_gradient)


@op(
    dtype=SAME,
    batch=ALONG,
    linear=True,
    inplace=overwrite,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 1, np.array([[0, 0], [2, 3]]), make.floats(2, 2)),
            case(make.floats(3, 4), 0, np.array([[2, 1, 0, 2]]), make.floats(2, 5)),
            case(make.floats(2, 3, 2), 1, make.ints(2, 4, 2, low=0, high=3), make.floats(2, 4, 2)),
            case(make.floats(4, 3).T, -1, np.array([[0, 0], [2, 3]], "int32"), make.floats(2, 2)),
            case(make.ints(4), 0, np.array([1, 1]), make.ints(2)),
            case(make.bools(4), 0, np.array([1, 1]), make.bools(2)),
            case(make.floats(), 0, np.array(0), make.floats()),
            case(make.floats(3), 0, np.array([], "int64"), make.floats(3)),
            case(make.floats(3), 0, np.array([3]), make.floats(1)),
            case(make.floats(3), 0, np.array([0, 0]), make.floats(1)),
            case(make.floats(3), 0, np.array([0]), make.ints(1)),
            case(make.floats(3), 0, np.array([0]), 1.0),
        ]
    ),
)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor, *, out=None):
    """The input with `src` added to the elements whose position along `dim` the index gives.

    >>> votes = torch.tensor([2, 0, 2, 2])
    >>> torch.zeros(3).scatter_add(0, votes, torch.ones(4))
    tensor([1., 0., 3.])
    """
    result = target_of(input, out)
    flat, dim, index = check_along("scatter_add", result, dim, index)
    src = check_source(flat, dim, index, src)
    if index.size:
        fold_along(flat, dim, index, src)
    return result


scatter_add.gradient(
    input=lambda grad: grad,
    src=lambda grad, dim, index, src_shape: source_gradient(grad, dim, index, src_shape),
)
