"""Precedence: which of several things that are wrong with an in-place call, or one with `out=`, torch names first."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.promotion import common
from rushlight.core.object.tensor import Tensor
from rushlight.errors.complaints import has_no_loop
from rushlight.errors.explained import RESULT, is_late, stage_of
from rushlight.ops.machine import out as out_checks
from rushlight.ops.machine.inplace import require_castable, require_shape, require_writable
from rushlight.ops.machine.out_dtypes import require_dtype
from rushlight.ops.machine.overlap import is_pointwise
from rushlight.ops.machine.rules import BOOL, FLOAT, REAL_FLOAT

# reductions that compare the dtype of `out=` before they look at dimensions
OUT_FIRST = {"all", "amax", "amin", "any"}


def check(op: Any, arguments: tuple, error: Exception) -> None:
    """After an error: refuse what torch looks at before the kernel of an op that works element by element.

    That is: a place in memory for each element, the shapes, that of the target, its dtype.
    """
    if state.grad:
        for each in arguments:
            if isinstance(each, Tensor) and each.requires_grad:
                # a view may have lost its history, which it says when it is asked
                each.grad_fn  # noqa: B018
    if not (is_pointwise(op) or op.name == "_copy") or not is_late(error):
        return
    if op.name.startswith("clamp") and stage_of(error) == RESULT:
        return  # bounds are compared with the target's dtype at once
    target = arguments[0]._array
    require_writable(target, op.name)
    shape = broadcast(op, arguments)
    if shape is None:
        return  # the body's own complaint
    require_shape(target, shape)
    kind = result_dtype(op, arguments)
    if kind is not None and stage_of(error) != RESULT:
        require_castable(kind, target)


def check_out(op: Any, arguments: tuple, needs: int, out: Any, error: Exception) -> None:
    """As `check`, for `out=`, of which torch asks first whether it would have to be recorded."""
    late = has_no_loop(error) or isinstance(error, ValueError) or is_late(error)
    early = is_pointwise(op) or op.name in ("cat", "stack")
    out_checks.check_out(op, arguments, needs, out, overlapping=late or not early)
    if op.name in OUT_FIRST and isinstance(out, Tensor):
        kind = np.dtype(bool) if op.rule is BOOL else arguments[0]._array.dtype
        if kind != out._array.dtype:
            require_dtype(op, np.empty(0, kind), out._array)
    shape = broadcast(op, arguments) if late and is_pointwise(op) and isinstance(out, Tensor) else None
    if shape is None:
        return
    if any([each is out for each in arguments]):
        require_shape(out._array, shape)
    kind = result_dtype(op, arguments)
    if kind is not None and kind != out._array.dtype:
        require_dtype(op, np.empty(0, kind), out._array)


def broadcast(op: Any, arguments: tuple) -> tuple[int, ...] | None:
    """The shape that the tensors of a call have together; None if they do not broadcast."""
    tensors = [arguments[position] for position in op.tensors if isinstance(arguments[position], Tensor)]
    try:
        return np.broadcast_shapes(*[each._array.shape for each in tensors])
    except ValueError:
        return None


def result_dtype(op: Any, arguments: tuple) -> np.dtype | None:
    """The dtype that a pointwise op gives its result, whether or not it has a kernel for it; None for truth values."""
    if op.rule is BOOL or op.name == "_copy":
        return None
    operands = [arguments[position] for position in op.operands]
    kind = common([getattr(each, "_array", each) for each in operands if each is not None])[1]
    is_float = op.rule in (FLOAT, REAL_FLOAT) and kind not in dtypes.DIFFERENTIABLE
    return dtypes.default.numpy if is_float else kind
