"""Ties: where torch leaves open which of several equal elements an index names, the elements are compared."""

from dataclasses import replace
from typing import Any

import numpy as np

from conformance.build import contiguous
from conformance.calls import Arguments, first_is_tensor
from conformance.outcomes import FrozenSequence, FrozenTensor, Outcome

# the position of `dim` after the input; torch promises no order among equals unless stable=True
DIM_POSITION = {"sort": 1, "argsort": 1, "mode": 1, "median": 1, "nanmedian": 1, "topk": 2, "kthvalue": 2}

PERMUTATIONS = {"sort", "argsort", "topk"}

# stands for NaN among gathered elements, which are compared exactly
NAN = 1e300


def resolve_ties(name: str, arguments: Arguments, outcome: Outcome) -> Outcome:
    """The outcome with elements of the input in place of indices, where `name` may choose among equals."""
    if name not in DIM_POSITION or outcome.error is not None or arguments.kwargs.get("stable"):
        return outcome
    if not first_is_tensor(arguments) or not arguments.args[0].shape:
        return outcome
    position = DIM_POSITION[name]
    dim = arguments.args[position] if len(arguments.args) > position else arguments.kwargs.get("dim", -1)
    source = contiguous(arguments.args[0])
    return replace(outcome, result=point(outcome.result, name, source, dim))


def point(result: Any, name: str, source: np.ndarray, dim: Any) -> Any:
    """Replaces the index tensor, which is the last tensor of the result."""
    if isinstance(result, FrozenTensor) and result.dtype == "int64" and isinstance(dim, int):
        return replace(result, values=elements_at(result.values, name, source, dim))
    if isinstance(result, FrozenSequence) and result.items:
        tensors = [n for n, item in enumerate(result.items) if isinstance(item, FrozenTensor | FrozenSequence)]
        if tensors:
            items = list(result.items)
            # an op with indices gives them second; in front of its flags, `out` stands as a whole
            last = tensors[0] if isinstance(items[tensors[0]], FrozenSequence) else tensors[-1]
            items[last] = point(items[last], name, source, dim)
            return replace(result, items=items)
    return result


def elements_at(indices: np.ndarray, name: str, source: np.ndarray, dim: int) -> np.ndarray:
    """The source's elements at the indices; the indices themselves if they make no sense."""
    kept = indices if indices.ndim == source.ndim else np.expand_dims(indices, dim)
    if name in PERMUTATIONS and (np.diff(np.sort(kept, dim), axis=dim) == 0).any():
        return indices
    try:
        found = np.take_along_axis(source, kept, dim).reshape(indices.shape)
    except (IndexError, ValueError):
        return indices
    return np.where(found == found, found, NAN)
