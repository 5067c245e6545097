"""Gradients: first and second order, of every differentiable argument, for a random cotangent."""

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.build import Builder
from conformance.calls import Arguments, conclude
from conformance.libraries import Library, dtype_name
from conformance.outcomes import FrozenTensor, Outcome

Process = Callable[[Any], Any]


def observe_gradients(
    library: Library, function: Callable | None, arguments: Arguments, process: Process, second: bool = False
) -> Outcome:
    """Which results are differentiable, and the gradients of the arguments that ask for one.

    `process` picks from the result what the gradient is well defined for (a singular vector's sign is not).
    """

    def act() -> tuple[Builder, Any, Any]:
        builder = Builder(library)
        args, kwargs = builder.build(arguments.args), builder.build(arguments.kwargs)
        library.seed()
        results = tensors_of(process(function(*args, **kwargs)))
        inputs = [tensor for tensor in builder.tensors if tensor.requires_grad]
        outputs = [tensor for tensor in results if tensor.requires_grad]
        flags = [bool(tensor.requires_grad) for tensor in results]
        if not outputs or not inputs:
            return builder, None, [flags, []]
        cotangents = [cotangent(library, number, tensor, second) for number, tensor in enumerate(outputs)]
        grads = list(library.module.autograd.grad(outputs, inputs, cotangents, create_graph=second, allow_unused=True))
        if second:
            grads = second_order(library, grads, inputs + cotangents)
        return builder, None, [flags, grads]

    return conclude(library, function, act)


def second_order(library: Library, grads: list[Any], inputs: list[Any]) -> list[Any]:
    """Gradients of the gradients, for the arguments and the cotangents; where there is no path, zero."""
    numbered = [(n, grad) for n, grad in enumerate(grads) if grad is not None and grad.requires_grad]
    if not numbered:
        return [library.module.zeros_like(tensor) for tensor in inputs]
    outputs = [grad for _, grad in numbered]
    weights = [cotangent(library, 100 + number, grad, False) for number, grad in numbered]
    found = library.module.autograd.grad(outputs, inputs, weights, allow_unused=True)
    pairs = zip(found, inputs, strict=True)
    return [library.module.zeros_like(tensor) if grad is None else grad for grad, tensor in pairs]


def cotangent(library: Library, number: int, tensor: Any, requires_grad: bool) -> Any:
    """A random tensor like `tensor`, the same in each library for the same number."""
    generator = np.random.default_rng(number)
    shape, dtype = tuple(tensor.shape), dtype_name(tensor.dtype)
    values = np.asarray(generator.standard_normal(shape))
    if dtype.startswith("complex"):
        values = values + 1j * generator.standard_normal(shape)
    made = library.module.from_numpy(np.array(values)).to(tensor.dtype)
    return made.requires_grad_() if requires_grad else made


def tensors_of(value: Any) -> list[Any]:
    """The tensors of a result, in order."""
    if hasattr(value, "data_ptr"):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [tensor for item in value for tensor in tensors_of(item)] if isinstance(value, list | tuple) else []


def on_clone(function: Callable | None) -> Callable | None:
    """An in-place form as a function: it works on a clone, so that leaves may be given to it."""
    return function and (lambda first, *args, **kwargs: function(first.clone(), *args, **kwargs))


def has_gradient(outcome: Outcome) -> bool:
    """Whether a gradient was found for at least one argument."""
    return outcome.error is None and any(isinstance(g, FrozenTensor) for g in outcome.result.items[1].items)
