"""Assertions under torch's inner names: conditions on numbers and tensors, checked at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["_assert", "_assert_async", "_check_tensor_all", "_check_tensor_all_with", "_check_with", "_shape_as_tensor"]


def _assert(condition: Any, message: str) -> None:
    """Raise an AssertionError unless a condition holds."""
    if not condition:
        raise AssertionError(message)


def _assert_async(input: Any, assert_msg: str | None = None) -> None:
    """Raise a RuntimeError unless a tensor's one element is not zero."""
    if not bool(input):
        raise RuntimeError(
            "Expected Tensor with single nonzero value, but got zero" if assert_msg is None else assert_msg
        )


def _check_with(error_type: type[Exception], cond: Any, message: Callable[[], str] | None) -> None:
    """Raise an error of some type unless a condition holds."""
    if not cond:
        raise error_type("Expected cond to be True, but got False." if message is None else str(message()))


def _check_tensor_all(cond: Any, message: Callable[[], str] | None = None) -> None:
    """Raise a RuntimeError unless all elements of a tensor hold."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _check_tensor_all_with(error_type: type[Exception], cond: Any, message: Callable[[], str] | None = None) -> None:
    """Raise an error of some type unless all elements of a tensor hold."""
    _check_with(error_type, bool(cond.all()), message)


def _shape_as_tensor(input: Any) -> Any:
    """The shape of a tensor, as a tensor."""
    from rushlight.core.creation.creation import tensor

    return tensor(list(input.shape))
