"""Straight layouts: an op on the same elements in C order, which its kernel takes where it declines others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.autograd.modes import no_grad
from rushlight.core.memory.strides import packed
from rushlight.core.object.tensor import Tensor, wrap


def straightened(function: Callable, *arguments: Any) -> Any:
    """The arrays that an op gives for C-ordered copies of its arrays; the caller lays them out."""
    ordered = [wrap(packed(each)) if type(each) is np.ndarray else each for each in arguments]
    with no_grad():
        found = function(*ordered)
    return found._array if isinstance(found, Tensor) else tuple([each._array for each in found])


def is_straight(*arrays: np.ndarray) -> bool:
    return all([each.flags.c_contiguous for each in arrays])
