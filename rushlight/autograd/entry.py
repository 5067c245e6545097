"""Entry points: `backward` stores gradients in leaves, `grad` returns them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rushlight.autograd import engine, explain
from rushlight.core.tensor import Tensor, new
from rushlight.core.warning import warn

Tensors = Tensor | Sequence[Tensor]


def as_tuple(tensors: Any) -> tuple:
    if tensors is None:
        return ()
    if isinstance(tensors, Tensor):
        return (tensors,)
    return tuple(tensors)


def start_gradients(outputs: tuple[Tensor, ...], given: tuple) -> list[tuple[Tensor, Tensor]]:
    """Each output with the gradient to start from: the given one, or 1 for a single number."""
    given = given or (None,) * len(outputs)
    if len(given) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    return [
        (output, start_gradient(output, grad, place))
        for place, (output, grad) in enumerate(zip(outputs, given, strict=True))
    ]


def start_gradient(output: Tensor, grad: Any, place: int) -> Tensor:
    if not isinstance(output, Tensor):
        raise TypeError(f"element {place} of tensors is a {type(output).__name__}, not a Tensor")
    if not output.requires_grad:
        raise explain.no_history(output, place)
    if grad is None:
        if output._array.size != 1:
            raise RuntimeError(
                "grad can be implicitly created only for scalar outputs"
                f"; this one has shape {list(output.shape)}: reduce it first, with .sum() or .mean(), or pass "
                "backward(gradient=...)"
            )
        if output._array.dtype.kind == "c":
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype}")
        made = new(Tensor)
        made._array = np.ones(output._array.shape, output._array.dtype)
        return made
    if not isinstance(grad, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
    if grad._array.shape != output._array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{place}] has a shape of {grad.shape} and output[{place}] has a shape of "
            f"{output.shape}."
        )
    if (grad._array.dtype.kind == "c") != (output._array.dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{place}] has a dtype of {grad.dtype} and output[{place}] has a dtype of {output.dtype}."
        )
    return grad


def backward(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves they were computed from."""
    if inputs is not None and len(as_tuple(inputs)) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if create_graph:
        warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
            "gradient which can cause a memory leak: use autograd.grad instead, or set the .grad of your parameters to "
            "None afterwards."
        )
    keep = create_graph if retain_graph is None else retain_graph
    roots = start_gradients(as_tuple(tensors), as_tuple(grad_tensors))
    if inputs is None:
        engine.backward(roots, keep, create_graph)
        return
    wanted = list(as_tuple(inputs))
    require_inputs(wanted)
    grads = engine.backward(roots, keep, create_graph, wanted) or []
    for tensor, found in zip(wanted, grads, strict=True):
        if found is not None:
            engine.accumulate(tensor, found, create_graph)


def require_inputs(inputs: list[Tensor]) -> None:
    for place, each in enumerate(inputs):
        if not isinstance(each, Tensor):
            raise TypeError(f"element {place} of inputs is a {type(each).__name__}, not a Tensor")
        if not each.requires_grad:
            raise RuntimeError(
                f"One of the differentiated Tensors does not require grad: input {place}. {explain.why_cut(each)}"
            )


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`, returned; no `.grad` is touched."""
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    wanted = list(as_tuple(inputs))
    if is_grads_batched:
        return batched(
            outputs, wanted, grad_outputs, retain_graph, create_graph, bool(allow_unused or materialize_grads)
        )
    keep = create_graph if retain_graph is None else retain_graph
    roots = start_gradients(as_tuple(outputs), as_tuple(grad_outputs))
    require_inputs(wanted)
    found = engine.backward(roots, keep, create_graph, wanted)
    assert found is not None
    for place, each in enumerate(found):
        if each is None:
            if materialize_grads:
                found[place] = zeros_of(wanted[place])
            elif not allow_unused:
                raise explain.unused(place)
    return tuple(found)


def zeros_of(tensor: Tensor) -> Tensor:
    made = new(Tensor)
    made._array = np.zeros_like(tensor._array)
    return made


def batched(outputs: Tensors, inputs: list, grad_outputs: Any, retain: Any, create: bool, unused: bool) -> tuple:
    """A gradient for each row of `grad_outputs`, stacked."""
    from rushlight.ops.joining import stack

    rows = as_tuple(grad_outputs)
    count = len(rows[0])
    keep = create if retain is None else retain
    found = [
        grad(outputs, inputs, [row[place] for row in rows], keep or place + 1 < count, create, True, unused)
        for place in range(count)
    ]
    return tuple(None if column[0] is None else stack(column) for column in zip(*found, strict=True))
