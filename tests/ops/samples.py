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


def replaced(value, others):
    """The argument with the tensors in `others` put in place of those with their identity."""
    if isinstance(value, torch.Tensor):
        return others.get(id(value), value)
    return type(value)(replaced(each, others) for each in value) if isinstance(value, (list, tuple)) else value


def differentiable_calls(op):
    """For each smooth sample: a function of just the inputs that get gradients, and these in double precision."""
    for sample in op.samples():
        if not sample.smooth or op.node == "NotImplemented":  # torch has no derivative for these either
            continue
        args, kwargs = arguments(sample, dtype="float64", requires_grad=True)
        leaves = [each for each in flat([*args, *kwargs.values()]) if each.requires_grad]
        result = outcome(op.function, args, kwargs)
        outputs = [] if isinstance(result, type) else [each for each in flat(result) if each.requires_grad]
        if not outputs or not leaves:
            continue
        starts = [torch.ones_like(each) for each in outputs]
        grads = outcome(torch.autograd.grad, (outputs, leaves, starts), {"allow_unused": True})
        if grads is NotImplementedError:  # torch refuses these derivatives too
            continue
        used = [leaf for leaf, grad in zip(leaves, grads, strict=True) if grad is not None]

        def call(*points, args=args, kwargs=kwargs, used=used):
            others = {id(leaf): point for leaf, point in zip(used, points, strict=True)}
            named = {name: replaced(each, others) for name, each in kwargs.items()}
            return tuple(flat(op.function(*replaced(args, others), **named)))

        if any(each.numel() for each in used):
            yield sample, call, [each.detach().to(double_of(each)).requires_grad_() for each in used]


def double_of(tensor):
    return torch.complex128 if tensor.is_complex() else torch.float64
