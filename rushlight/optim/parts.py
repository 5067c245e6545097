"""Parts of step formulas that operators do not give; on arrays, and on tensors where a step is differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core import dtypes
from rushlight.core.tensor import Tensor


def square_root(x: Any) -> Any:
    """The root of each element, to be changed in place."""
    # a tensor's root keeps itself for backward: hand out a copy
    return x.sqrt().clone() if isinstance(x, Tensor) else np.sqrt(x)


def keep_largest(largest: Any, x: Any) -> Any:
    """Raise `largest` to `x` where that is larger, in place."""
    if isinstance(largest, Tensor):
        return largest.copy_(largest.clone().maximum(x))
    return np.maximum(largest, x, out=largest)


def decayed(grad: Any, array: Any, decay: Any) -> Any:
    """The gradient of a loss to which half of `decay` times the squared parameter is added."""
    return grad + decay * (array.clone() if isinstance(array, Tensor) else array)


def count_step(state: dict[str, Any]) -> float:
    """Count a step; the number of this one."""
    step = state["step"]
    step += 1
    return step.item() if isinstance(step, Tensor) else step.item(0)


def counter_dtype(group: dict[str, Any]) -> type:
    """Steps are counted in the default dtype, if that is exact enough."""
    return np.float64 if dtypes.default is dtypes.float64 and not group.get("fused") else np.float32


def started(array: np.ndarray, group: dict[str, Any], *names: str) -> dict[str, np.ndarray]:
    """State that begins at zero: the count of steps, and arrays like the parameter."""
    state: dict[str, np.ndarray] = {"step": np.zeros((), counter_dtype(group))}
    return state | {name: np.zeros_like(array) for name in names}
