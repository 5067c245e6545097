"""Gradients clipped: to a largest norm over all parameters together, or to a largest value of each element."""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import GeneratorType

import numpy as np

from rushlight.autograd.modes import no_grad
from rushlight.core.creation.creation import tensor
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.errors.warning import warn
from rushlight.native import shortcut
from rushlight.ops.machine.inplace import written

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

Tensors = Iterable[Tensor] | Tensor


def gradients_of(parameters: Tensors) -> list[Tensor]:
    chosen = [parameters] if isinstance(parameters, Tensor) else parameters
    return [each._grad for each in chosen if each._grad is not None]


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all tensors together, as if they were one vector.

    >>> torch.nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])])
    tensor(5.)
    """
    norm_type = float(norm_type)
    arrays = [each._array for each in ([tensors] if isinstance(tensors, Tensor) else list(tensors))]
    if not arrays:
        return tensor(0.0)
    with np.errstate(all="ignore"):
        norms = np.array([norm_of(each, norm_type) for each in arrays])
        total = wrap(np.asarray(norm_of(norms, norm_type)))
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def norm_of(array: np.ndarray, norm_type: float) -> np.floating:
    """The norm of all elements of an array, in its own precision."""
    flat = array.reshape(-1)
    if array.dtype.kind == "c" or (norm_type != 2 and array.dtype.kind == "f"):
        flat = np.absolute(flat)
    if norm_type == 2:
        # the square root of the product with itself: a third of the time of a general norm
        return np.sqrt(flat.dot(flat))
    if norm_type == math.inf:
        return np.maximum.reduce(flat, initial=0)
    if norm_type == -math.inf:
        return np.minimum.reduce(flat)
    if norm_type == 0:
        return flat.dtype.type(np.count_nonzero(flat))
    return np.add.reduce(flat**norm_type) ** (1 / norm_type)


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients so that their norm, which is given, becomes at most `max_norm`."""
    # torch multiplies by 1 too: asking first would wait for a GPU
    scale = min(float(max_norm) / (total_norm.item() + 1e-6), 1.0)
    with np.errstate(all="ignore"):
        for grad in gradients_of(parameters):
            np.multiply(grad._array, scale, grad._array)
            written(grad)


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients of all parameters so that their norm together is at most `max_norm`; gives the norm before.

    `norm_type` may be any order, infinity too.
    """
    given = parameters
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if not parameters and isinstance(given, GeneratorType):
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    return clip_norm(parameters, max_norm, norm_type, error_if_nonfinite)


@shortcut
def clip_norm(parameters: list[Tensor], max_norm: float, norm_type: float, error_if_nonfinite: bool) -> Tensor:
    total_norm = get_total_norm(gradients_of(parameters), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total_norm)
    return total_norm


def clip_grad_norm(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The older name of `clip_grad_norm_`."""
    warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Keep each element of the gradients between -`clip_value` and `clip_value`."""
    clip_value = float(clip_value)
    gradients = gradients_of(parameters)
    if not gradients:
        raise RuntimeError(
            "Expected !nested_tensorlist[0].empty() to be true, but got false: no parameter has a gradient; call "
            "backward first"
        )
    with no_grad():
        for grad in gradients:
            grad.clamp_(-clip_value, clip_value)
