"""Arrays: whatever a program logs, as a NumPy array."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor


def make_np(x: Any) -> np.ndarray:
    """An array of a tensor, a number, a list or an array; what is none of these is refused.

    >>> from torch.utils.tensorboard._convert_np import make_np
    >>> make_np(torch.ones(2))
    array([1., 1.], dtype=float32)
    """
    if isinstance(x, np.ndarray):
        return x
    if np.isscalar(x) and not isinstance(x, str):
        return np.array([x])
    if isinstance(x, (list, tuple)):
        return np.array([each.item() if isinstance(each, Tensor) and each.numel() == 1 else each for each in x])
    if isinstance(x, Tensor):
        plain = x.detach().resolve_conj().resolve_neg()
        # NumPy has no bfloat16 of its own, and the protocol none either
        return (plain.float() if str(x.dtype) == "torch.bfloat16" else plain).numpy()
    raise NotImplementedError(f"Got {type(x)}, but numpy array or torch tensor are expected.")


def number(x: Any) -> float:
    """The one number in a scalar that is logged."""
    array = make_np(x).squeeze()
    if array.ndim:
        raise AssertionError(
            "Tensor should contain one element (0 dimensions). "
            f"Was given size: {array.size} and {array.ndim} dimensions. "
            "Log its mean(), or several numbers with add_scalars() or add_histogram()."
        )
    return float(array)
