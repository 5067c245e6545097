"""torch.masked._ops: the file of torch that these functions stand in, and its helpers that packages import."""

from __future__ import annotations

import math
from typing import Any

from rushlight._prims_common import corresponding_real_dtype
from rushlight.core.creation.filled import full
from rushlight.core.object.tensor import Tensor
from rushlight.masked import MaskedTensor, as_masked_tensor, is_masked_tensor
from rushlight.ops.machine.bind import namespace
from rushlight.ops.masked.fills import dims_of, filled, fitting, highest, lowest
from rushlight.ops.masked.reductions import norm_fill
from rushlight.ops.pointwise.where import where

__all__ = ["MaskedTensor", "as_masked_tensor", "corresponding_real_dtype", "is_masked_tensor", *namespace("masked")]
globals().update(namespace("masked"))
# of these a result has an element for each of the input
ELEMENTWISE = ("softmax", "log_softmax", "softmin", "normalize", "cumsum", "cumprod")


def _canonical_dim(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions of a reduction, in order; None is all of them."""
    return dims_of(dim, ndim)


def _input_mask(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The mask in the shape of the input."""
    mask = kwargs.get("mask")
    if mask is None:
        raise ValueError("_input_mask requires explicit mask: pass mask=")
    return fitting(input, mask)


def _combine_input_and_mask(op: Any, input: Tensor, mask: Tensor | None, *args: Any) -> Tensor:
    """The input with what changes nothing in `op` where the mask does not hold."""
    return filled(input, mask, _reduction_identity(op if isinstance(op, str) else op.__name__, input, *args))


def _reduction_identity(op_name: str, input: Tensor, *args: Any) -> Tensor | None:
    """What changes nothing in a reduction: 0 of a sum, the smallest number of a maximum; None if nothing does."""
    if op_name in ("mean", "var", "std"):
        return None
    if op_name == "median":
        return full((), math.nan)
    if op_name in ("sum", "cumsum"):
        value: Any = 0
    elif op_name in ("prod", "cumprod"):
        value = 1
    elif op_name in ("amax", "argmax", "logsumexp", "logaddexp"):
        value = lowest(op_name, input)
    elif op_name in ("amin", "argmin"):
        value = highest(op_name, input)
    elif op_name == "norm":
        value = norm_fill(input, args[0] if args else 2)
    else:
        raise NotImplementedError(f"identity of {op_name} on {input.dtype} input: fill the input in by torch.where")
    return full((), value, dtype=input.dtype)


def _output_mask(op: Any, input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The mask of a result: where a reduction had an element to reduce, elsewhere that of the input."""
    mask = _input_mask(input, **kwargs)
    name = op if isinstance(op, str) else op.__name__
    if name in ELEMENTWISE:
        return mask
    if name not in namespace("masked"):
        raise ValueError(f"_output_mask expected masked operation (got callable {op}): pass one of torch.masked")
    place = 1 if name == "norm" else 0
    dim = args[place] if len(args) > place else kwargs.get("dim")
    return _any(mask, _canonical_dim(dim, mask.ndim), bool(kwargs.get("keepdim", False)))


def _any(input: Tensor, dim: tuple[int, ...], keepdim: bool) -> Tensor:
    """Whether there is a True along these dimensions."""
    return input.any(dim, keepdim) if input.ndim else input.clone()


def _where(mask: Tensor, input: Tensor, fill_value: Tensor) -> Tensor:
    """The input where the mask holds, else the other."""
    return where(mask, input, fill_value)
