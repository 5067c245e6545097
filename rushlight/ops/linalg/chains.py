"""Chains: products of several matrices, in the order that costs least."""

from __future__ import annotations

import functools
import itertools
import warnings

from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype, products
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.samples import case, cases


@composed(
    name="linalg.multi_dot",
    samples=cases(
        lambda make: [
            case([make.floats(3, 4), make.floats(4, 2)]),
            case([make.floats(3, 4), make.floats(4, 2), make.floats(2, 5), make.floats(5, 1)]),
            case([make.floats(4), make.floats(4, 2), make.floats(2)]),
            case([make.floats(3), make.floats(3)]),
            case([make.floats(3, 0), make.floats(0, 2)]),
            case([make.complexes(2, 2), make.complexes(2, 2), make.complexes(2, 2)]),
            case([make.ints(2, 3), make.ints(3, 2)]),
            case([make.floats(3, 4)]),
            case([make.floats(3, 4), make.floats(4), make.floats(4, 2)]),
            case([make.floats(3, 4), make.floats(3, 4)]),
            case([make.floats(2, 3, 4), make.floats(4, 2)]),
            case([make.floats(3, 4), make.floats(4, 2, dtype="float64")]),
        ]
    ),
)
def multi_dot(tensors, *, out=None):
    """The product of two or more matrices; the first and the last may be vectors.

    >>> a, b, c = torch.ones(2, 100), torch.ones(100, 3), torch.ones(3)
    >>> torch.linalg.multi_dot([a, b, c])  # b @ c first, which is the least work
    tensor([300., 300.])
    """
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(
            "linalg_multi_dot(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{type(tensors).__name__}"
        )
    require_chain(tensors)
    matrices = list(tensors)
    first, last = matrices[0].ndim == 1, matrices[-1].ndim == 1
    if first:
        matrices[0] = matrices[0].unsqueeze(0)
    if last:
        matrices[-1] = matrices[-1].unsqueeze(-1)
    require_fitting(matrices)
    splits = best_splits((*[each.shape[0] for each in matrices], matrices[-1].shape[1]))
    found = multiplied(matrices, splits, 0, len(matrices) - 1)
    shape = [*([] if first else [found.shape[0]]), *([] if last else [found.shape[1]])]
    return write_composed("linalg.multi_dot", found.view(shape), out)


def require_chain(tensors):
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    for number, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {number} in argument 0, but got {type(each).__name__}")
        if each.dtype is not tensors[0].dtype:
            raise explained(
                RuntimeError,
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {tensors[0].dtype.name} and "
                f"tensor {number} {each.dtype.name}",
                fix=one_dtype(tensors[0].dtype, each.dtype),
            )
        if number in (0, len(tensors) - 1) and each.ndim not in (1, 2):
            place = "last" if number else "first"
            raise RuntimeError(f"multi_dot(): the {place} tensor must be 1D or 2D but got {each.ndim}D")
        if 0 < number < len(tensors) - 1 and each.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {number} must be 2D but got {each.ndim}D")


def require_fitting(matrices):
    for number, (one, two) in enumerate(itertools.pairwise(matrices)):
        if one.shape[1] != two.shape[0]:
            raise explained(
                RuntimeError,
                f"multi_dot(): tensors {number} and {number + 1} with shapes {list(one.shape)} and {list(two.shape)} "
                "cannot be multiplied",
                fix=products(one.shape, two.shape),
            )


@functools.lru_cache(maxsize=64)
def best_splits(sizes):
    """For each stretch of the chain the place to split it, so that the products take the fewest multiplications."""
    count = len(sizes) - 1
    costs = {(start, start): 0 for start in range(count)}
    splits = {}
    for length in range(1, count):
        for start in range(count - length):
            end = start + length
            ends = sizes[start] * sizes[end + 1]
            costs[start, end], splits[start, end] = min(
                (costs[start, split] + costs[split + 1, end] + ends * sizes[split + 1], split)
                for split in range(start, end)
            )
    return splits


def multiplied(matrices, splits, start, end):
    if start == end:
        return matrices[start]
    split = splits[start, end]
    return multiplied(matrices, splits, start, split) @ multiplied(matrices, splits, split + 1, end)


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), make.floats(4, 2), make.floats(2, 5)),
            case(make.floats(3, 4)),
            case(make.floats(4), make.floats(4, 2)),
        ]
    ),
)
def chain_matmul(*matrices, out=None):
    """The product of several matrices; `linalg.multi_dot` replaces it.

    >>> torch.chain_matmul(torch.tensor([[1.0, 2.0]]), torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.eye(2))
    tensor([[2., 1.]])
    """
    warnings.warn(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
        "torch.linalg.multi_dot instead, which takes a list of two or more tensors.",
        UserWarning,
        stacklevel=3,
    )
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for each in matrices:
        if each.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {each.ndim}, expected 2 instead.")
    return (
        multi_dot(matrices, out=out) if len(matrices) > 1 else write_composed("chain_matmul", matrices[0].clone(), out)
    )
