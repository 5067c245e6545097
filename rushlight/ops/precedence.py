"""Precedence: which of several things that are wrong with an in-place call torch names first."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.tensor import Tensor
from rushlight.ops.inplace import require_castable, require_shape, require_writable
from rushlight.ops.overlap import is_pointwise
from rushlight.ops.rules import FLOAT, REAL_FLOAT

# what some functions say of their operands before the loop over elements begins
EARLY = (
    "Boolean inputs not supported", "Integer division with addcdiv", "Negation, the `-` operator",
    "Subtraction, the `-` operator", "Unlike NumPy, torch.sign", "ceil is not supported", "expected dtype ",
    "floor is not supported", "heaviside is not yet implemented", "trunc is not supported",
)  # fmt: skip


def check(op: Any, arguments: tuple, error: Exception) -> None:
    """After an error: refuse what torch looks at before the kernel of an op that works element by element.

    That is: a place in memory for each element, the shapes, that of the target, its dtype.
    """
    if not (is_pointwise(op) or op.name == "_copy") or str(error).startswith(EARLY):
        return
    target = arguments[0]._array
    require_writable(target, op.name)
    try:
        shape = np.broadcast_shapes(
            *[arguments[each]._array.shape for each in op.tensors if is_tensor(arguments[each])]
        )
    except ValueError:
        return  # the body's own complaint
    require_shape(target, shape)
    kind = result_dtype(op, arguments)
    if kind is not None:
        require_castable(kind, target)


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def result_dtype(op: Any, arguments: tuple) -> np.dtype | None:
    """The dtype that an op's rule gives its result; None where the body decides."""
    rule = FLOAT if op.rule is REAL_FLOAT else op.rule
    return rule(op, [getattr(each, "_array", each) for each in arguments])
