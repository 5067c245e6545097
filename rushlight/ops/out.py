"""The `out=` argument: results written into tensors that the caller brings."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.deferred import alike
from rushlight.core.dtypes import from_numpy
from rushlight.core.tensor import Tensor
from rushlight.ops.rules import MATCH

if TYPE_CHECKING:
    from rushlight.ops.declare import Op


def write_results(op: Op, results: Any, out: Any) -> Any:
    """Write each result into its tensor; returns `out` as torch does."""
    if isinstance(results, np.ndarray):
        if isinstance(out, (list, tuple)) and len(out) == 1:
            out = out[0]
        return write_result(op, results, out)
    if not isinstance(out, (list, tuple)) or len(out) != len(results):
        raise TypeError(f"{op.name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    for result, each in zip(results, out, strict=True):
        if isinstance(each, Tensor) and each._array.dtype != result.dtype:
            raise RuntimeError(
                f"Expected out tensor to have dtype {from_numpy(result.dtype).name}, but got {each.dtype.name} instead"
            )
    written = [write_result(op, result, each) for result, each in zip(results, out, strict=True)]
    return op.results(*written) if op.returns is not None else tuple(written)


def write_composed(name: str, result: Tensor, out: Any) -> Tensor:
    """The result of a composed function, written into `out` where one is given."""
    if out is None:
        return result
    if result.requires_grad:
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one "
            "of the arguments requires grad."
        )
    from rushlight.ops.declare import REGISTRY

    return write_result(REGISTRY[name], result._array, out)


def write_result(op: Op, result: np.ndarray, out: Any) -> Tensor:
    from rushlight.ops.inplace import require_castable, require_writable, written

    if not isinstance(out, Tensor):
        raise TypeError(f"{op.name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if result.dtype != out._array.dtype:
        require_castable(result, out._array)
        if op.rule is MATCH:
            names = [from_numpy(each.dtype).scalar.lower() for each in (result, out._array)]
            raise RuntimeError(f"Expected out tensor to have dtype {names[0]}, but got {names[1]} instead")
    require_writable(out._array)
    if out._array.shape != result.shape:
        resize(out, result.shape)
    out._array[...] = result
    written(out)
    return out


def resize(out: Tensor, shape: tuple[int, ...]) -> None:
    """Give `out` a new shape; torch warns if it held something."""
    if out._array.size:
        warnings.warn(
            f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
            f"match the required output shape {list(shape)}. Pass out=torch.empty(0) or a tensor of the right shape.",
            UserWarning,
            stacklevel=6,
        )
    out._array = alike(out._array, np.empty(shape, out._array.dtype))
    out._storage = None
