"""torch._vmap_internals: `vmap` by the name that packages reached for before `torch.func` was public."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from rushlight.func import vmap as transform

__all__ = ["vmap"]


def vmap(func: Callable, in_dims: Any = 0, out_dims: Any = 0) -> Callable:
    """`torch.vmap` as it was called before; it warns, as torch's does."""
    warnings.warn("Please use torch.vmap instead of torch._vmap_internals.vmap.", FutureWarning, stacklevel=2)
    return _vmap(func, in_dims, out_dims)


def _vmap(func: Callable, in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False) -> Callable:
    """`torch.vmap` without a warning; None among the results may be let through, as unused inputs have no gradient."""
    if not allow_none_pass_through:
        return transform(func, in_dims, out_dims)

    @functools.wraps(func)
    def wrapped(*args: Any) -> Any:
        absent: list[bool] = []

        def present(*given: Any) -> Any:
            found = func(*given)
            if not isinstance(found, tuple):
                return found
            absent[:] = [each is None for each in found]
            return tuple(each for each in found if each is not None)

        results = transform(present, in_dims, out_dims)(*args)
        if not absent:
            return results
        left = iter(results)
        return tuple(None if each else next(left) for each in absent)

    return wrapped
