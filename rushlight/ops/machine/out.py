"""The `out=` argument: results written into tensors that the caller brings."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.memory.growth import give_shape
from rushlight.core.memory.strides import strides_of
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.ops.machine.calling import parser_name
from rushlight.ops.machine.out_dtypes import require_dtype
from rushlight.ops.machine.overlap import is_dense, is_pointwise, refuse_overlap_out
from rushlight.ops.machine.returned import named_results
from rushlight.ops.machine.rules import ACCUMULATE, BOOL

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


def check_out(op: Op, arguments: tuple, needs: int, out: Any, overlapping: bool = True) -> None:
    """Refuse what would have to be recorded, and tensors that share memory with what is read."""
    if needs and state.grad and op.gradients and op.rule is not BOOL:
        refuse(op.results_name)
    for each in out if isinstance(out, (list, tuple)) else (out,):
        if not isinstance(each, Tensor):
            continue
        if op.rule is not BOOL:
            refuse_recorded(op.results_name, each)
        if overlapping:
            refuse_overlap_out(op, each, arguments)


def wider(op: Op, arguments: tuple, out: Any) -> tuple | None:
    """The arguments of a sum or a mean that is to be computed in the dtype of `out`; None if it was."""
    position = op.positions.get("dtype")
    if position is None or arguments[position] is not None or not isinstance(out, Tensor):
        return None
    if op.rule is not ACCUMULATE and not (op.name == "mean" and out.dtype.is_floating_point):
        return None
    return (*arguments[:position], out.dtype, *arguments[position + 1 :])


def refuse_recorded(name: str, out: Tensor) -> None:
    """Refuse to write a result into a tensor that requires grad."""
    if out.requires_grad and state.grad:
        refuse(name)


def refuse(name: str) -> None:
    shown = name.removeprefix("nn.functional.").strip("_").replace(".", "_")
    raise RuntimeError(
        f"{shown}(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad: detach() it, or leave out= out"
    )


def write_results(op: Op, results: Any, out: Any, read: tuple = ()) -> Any:
    """Write each result into its tensor; returns `out` as torch does."""
    if isinstance(results, np.ndarray):
        if isinstance(out, (list, tuple)) and len(out) == 1:
            out = out[0]
        return write_result(op, results, out, read)
    if not isinstance(out, (list, tuple)) or len(out) != len(results):
        raise TypeError(f"{parser_name(op)}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    for result, each in zip(results, out, strict=True):
        if isinstance(each, Tensor) and each._array.dtype != result.dtype:
            require_dtype(op, result, each._array, several=True)
    written = [write_result(op, result, each) for result, each in zip(results, out, strict=True)]
    return results_out(op)(*written) if op.returns is not None else tuple(written)


@functools.cache
def results_out(op: Op) -> type:
    """The named tuple of an op that was given `out=`."""
    return named_results(op.results_name + "_out", op.returns)


def write_composed(name: str, result: Tensor, out: Any) -> Tensor:
    """The result of a composed function, written into `out` where one is given."""
    if out is None:
        return result
    if result.requires_grad:
        refuse(name)
    if isinstance(out, Tensor):
        refuse_recorded(name, out)
    from rushlight.ops.machine.declare import REGISTRY

    return write_result(REGISTRY[name], result._array, out)


def write_result(op: Op, result: np.ndarray, out: Any, read: tuple = ()) -> Tensor:
    """Write a result into `out`, which takes its shape unless it is one of those that were read."""
    from rushlight.ops.machine.inplace import check_inference, require_shape, require_writable, written

    if not isinstance(out, Tensor):
        raise TypeError(f"{op.name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if out._inference:
        check_inference(out)
    pointwise = is_pointwise(op)
    if pointwise:
        require_writable(out._array)
        if out._array.shape != result.shape and any([each is out for each in read]):
            require_shape(out._array, result.shape)
    if result.dtype != out._array.dtype:
        is_complex = any([isinstance(each, Tensor) and each.is_complex() for each in read])
        require_dtype(op, result, out._array, is_complex=is_complex)
    if out._array.shape == result.shape:
        require_writable(out._array)
    else:
        resize(out, result.shape, strides_without_out(op, result, read) if pointwise else None)
    # a real out drops imaginary parts without a warning
    out._array[...] = result.real if result.dtype.kind == "c" and out._array.dtype.kind != "c" else result
    written(out)
    return out


def strides_without_out(op: Op, result: np.ndarray, read: tuple) -> tuple[int, ...] | None:
    """The strides that a result would have of its own; None if by rows, or with gaps."""
    if op.layout is not None and result.ndim > 1:
        result = op.layout(op, [each._array if isinstance(each, Tensor) else each for each in read], result)
    return strides_of(result) if is_dense(result) else None


def resize(out: Tensor, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> None:
    """Give `out` a new shape; torch warns if it held something."""
    if out._array.size:
        warn(
            f"An output with one or more elements was resized since it had shape {list(out.shape)}, which does not "
            f"match the required output shape {list(shape)}. This behavior is deprecated: pass out=torch.empty(0), or "
            "a tensor of the right shape."
        )
    give_shape(out, shape, strides)
