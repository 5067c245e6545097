"""Parts of step formulas that operators do not give; on arrays, and on tensors where a step is differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.memory.layout import empty_like_array
from rushlight.core.memory.strides import is_fresh
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.errors.explained import explained
from rushlight.ops.machine.kinds import plain_name


def square_root(x: Any) -> Any:
    """The root of each element, to be changed in place."""
    if not isinstance(x, Tensor):
        return np.sqrt(x)
    # a root keeps itself for backward: hand out a copy
    return x.sqrt().clone() if x.requires_grad else x.sqrt()


def keep_largest(largest: Any, x: Any) -> Any:
    """Raise `largest` to `x` where that is larger, in place."""
    if isinstance(largest, Tensor):
        return largest.copy_(largest.clone().maximum(x))
    return np.maximum(largest, x, out=largest)


def choose(condition: Any, value: float, other: Any) -> Any:
    """A number where the condition holds, elements of `other` elsewhere."""
    return other.masked_fill(condition, value) if isinstance(other, Tensor) else np.where(condition, value, other)


def between(x: Any, low: float, high: float) -> Any:
    """Each element, or the bound that it is beyond."""
    return x.clamp(low, high) if isinstance(x, Tensor) else np.minimum(np.maximum(x, low), high)


def sign(x: Any) -> Any:
    """-1, 0 or 1 for each element."""
    return x.sign() if isinstance(x, Tensor) else np.sign(x)


def unchanging(x: Any) -> Any:
    """What is to be changed in place later in the step, as a factor: backward needs it as it is now."""
    return x.clone() if isinstance(x, Tensor) else x


def with_decay(array: Any, grad: Any, group: dict[str, Any]) -> Any:
    """The gradient of a loss with the weights' decay: half of it times the squared parameter is added."""
    decay = group["weight_decay"]
    return grad + decay * unchanging(array) if decay else grad


def with_either_decay(array: Any, grad: Any, group: dict[str, Any]) -> Any:
    """As `with_decay`; a decoupled decay is no part of the loss, but makes the parameter smaller at once."""
    if not group["decoupled_weight_decay"]:
        return with_decay(array, grad, group)
    if group["weight_decay"]:
        array *= 1 - group["lr"] * group["weight_decay"]
    return grad


def writes_with_either_decay(group: dict[str, Any]) -> int:
    """How often a step writes to a parameter: a decoupled decay is one more."""
    return 2 if group["decoupled_weight_decay"] and group["weight_decay"] else 1


def require_dtype(mean: Any, x: Any) -> None:
    """Refuse a gradient of another dtype than its running mean has: the parameter was converted in between."""
    if mean.dtype != x.dtype and not isinstance(mean, Tensor):
        kinds = f"expected dtype {plain_name(mean)} for `end` but got dtype {plain_name(x)}"
        fix = "make the optimizer after the model was converted, or convert its state too"
        raise explained(RuntimeError, kinds, fix=fix)


def average(mean: Any, x: Any, weight: Any) -> Any:
    """Move a running mean towards `x`, in place."""
    if isinstance(mean, Tensor) and isinstance(weight, float):
        return mean.lerp_(x, weight)
    mean += weight * (x - mean)
    return mean


def average_squares(square: Any, x: Any, keep: Any) -> Any:
    """Keep so much of a running mean of squares and add that of `x`, in place."""
    square *= keep
    if isinstance(square, Tensor) and isinstance(keep, float):
        return square.addcmul_(x, x, value=1 - keep)
    x = widened(x, square)
    square += (1 - keep) * x * x
    return square


def add_squares(total: Any, x: Any) -> Any:
    """Add the squares of `x`, in place."""
    if isinstance(total, Tensor):
        return total.addcmul_(x, x)
    x = widened(x, total)
    total += x * x
    return total


def widened(x: Any, like: Any) -> Any:
    """A gradient in the dtype of its state if that is the wider: nothing is rounded on the way."""
    return x if x.dtype == like.dtype or isinstance(x, Tensor) else x.astype(np.result_type(x, like))


def descend(array: Any, rate: Any, direction: Any, size: Any = None) -> None:
    """Take `rate` times a direction, divided by a size where there is one, from a parameter, in place."""
    if isinstance(array, Tensor) and isinstance(rate, float):
        if size is None:
            array.add_(direction, alpha=-rate)
        else:
            array.addcdiv_(direction, size, value=-rate)
    elif size is None:
        array -= rate * direction
    else:
        array -= rate * direction / size


def moments(state: dict[str, Any], grad: Any, group: dict[str, Any]) -> tuple[Any, Any]:
    """The running means of the gradient and of its square."""
    beta1, beta2 = group["betas"]
    require_dtype(state["exp_avg"], grad)
    return average(state["exp_avg"], grad, 1 - beta1), average_squares(state["exp_avg_sq"], grad, beta2)


def largest_moments(state: dict[str, Any], grad: Any, group: dict[str, Any]) -> tuple[Any, Any]:
    """As `moments`; with `amsgrad` the largest mean square so far."""
    mean, square = moments(state, grad, group)
    return mean, keep_largest(state["max_exp_avg_sq"], square) if group["amsgrad"] else square


def count_step(state: dict[str, Any]) -> float:
    """Count a step; the number of this one."""
    step = state["step"]
    step += 1
    return number(step)


def number(x: Any) -> float:
    """What is one number for a parameter; in a flat group it is a column of equal ones."""
    return x.item() if isinstance(x, Tensor) else x.item(0)


def counter_dtype(group: dict[str, Any]) -> type:
    """Steps are counted in the default dtype, if that is exact enough."""
    return np.float64 if dtypes.default is dtypes.float64 and not group.get("fused") else np.float32


def zeros_as(array: np.ndarray) -> np.ndarray:
    """Zeros that lie in memory as the array does, dimensions of one element included."""
    if is_fresh(array):
        return np.zeros(array.shape, array.dtype)
    made = empty_like_array(array)
    made[...] = 0
    return made


def started(array: np.ndarray, group: dict[str, Any], *names: str) -> dict[str, np.ndarray]:
    """State that begins at zero: the count of steps, and arrays like the parameter."""
    state: dict[str, np.ndarray] = {"step": np.zeros((), counter_dtype(group))}
    return state | {name: zeros_as(array) for name in names}
