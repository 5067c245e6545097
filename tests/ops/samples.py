"""What the generated tests share: samples turned into tensors, results taken apart."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

import rushlight as torch
from rushlight.ops.machine.declare import Op
from rushlight.ops.machine.late import registry

SAMPLED = [op for op in registry().values() if op.samples is not None]
# each call draws anew, so two calls never agree
RANDOM = {
    name
    for name in registry()
    if any(
        word in name
        for word in ("rand", "normal", "bernoulli", "multinomial", "dropout", "poisson", "binomial", "rrelu", "lowrank")
    )
}


def tensors_from(value: Any, dtype: str | None = None, requires_grad: bool = False) -> Any:
    """The argument with tensors for arrays; floats become `dtype`."""
    if isinstance(value, np.ndarray):
        array = value.copy("K")
        if array.dtype.kind == "f" and dtype is not None:
            array = array.astype(dtype)
        tensor = torch.from_numpy(array)
        return tensor.requires_grad_() if requires_grad and array.dtype.kind in "fc" else tensor
    if isinstance(value, (list, tuple)):
        return type(value)(tensors_from(each, dtype, requires_grad) for each in value)
    return copy.copy(value)


def arguments(sample: Any, dtype: str | None = None, requires_grad: bool = False) -> tuple[tuple, dict]:
    args = tensors_from(sample.args, dtype, requires_grad)
    kwargs = {name: tensors_from(each, dtype, requires_grad) for name, each in sample.kwargs.items()}
    return args, kwargs


def outcome(function: Any, args: tuple, kwargs: dict) -> Any:
    """The result, or the type of the exception."""
    try:
        return function(*args, **kwargs)
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, AssertionError) as error:
        return type(error)


def flat(result: Any) -> list:
    """All tensors of a result, however nested."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (tuple, list)):
        return [tensor for each in result for tensor in flat(each)]
    return []


def same(one: Any, two: Any) -> bool:
    """Whether two outcomes are equal in type, shape, dtype and value."""
    if isinstance(one, type) or isinstance(two, type):
        return one is two
    first, second = flat(one), flat(two)
    if len(first) != len(second):
        return False
    return (first != [] or one == two) and all(
        a.dtype is b.dtype and a.shape == b.shape and np.array_equal(values(a), values(b), equal_nan=True)
        for a, b in zip(first, second, strict=True)
    )


def values(tensor: torch.Tensor) -> np.ndarray:
    array = tensor.numpy(force=True)
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def method_of(op: Op) -> Any:
    return getattr(torch.Tensor, op.name) if op.is_method else None
