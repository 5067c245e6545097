"""Entry points: `backward` stores gradients in leaves, `grad` returns them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rushlight.autograd import edges, engine
from rushlight.autograd.edges import GradientEdge
from rushlight.core.memory.layout import empty_like_array
from rushlight.core.memory.meta import beside
from rushlight.core.numbers import dtypes
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.core.surface import overriding
from rushlight.errors import history
from rushlight.errors.explained import explained
from rushlight.errors.warning import warn

Tensors = Tensor | GradientEdge | Sequence[Tensor | GradientEdge]
ONE = (Tensor, GradientEdge)


def _is_checkpoint_valid() -> bool:
    """Whether a checkpoint may run its part again: in every backward, to inputs or not."""
    return True


def as_tuple(tensors: Any) -> tuple:
    if tensors is None:
        return ()
    return (tensors,) if isinstance(tensors, ONE) else tuple(tensors)


def start_gradients(outputs: tuple, given: tuple) -> list[tuple]:
    """The edge of each output with the gradient to start from: the given one, or 1 for a single number."""
    given = given or (None,) * len(outputs)
    if len(given) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    found = []
    # as in torch, gradients beyond the last output are not looked at
    for place, (output, grad) in enumerate(zip(outputs, given, strict=False)):
        if isinstance(output, Tensor):
            if not output.requires_grad:
                raise history.no_history(output, place)
        elif not isinstance(output, GradientEdge):
            raise AssertionError(f"Expected output to be a torch.Tensor: number {place} is a {type(output).__name__}")
        edge, number = edges.place_of(output)
        if edge is output and isinstance(edge, Tensor) and not edge._requires_grad:
            # a view made under no_grad requires grad as its base does, but leads nowhere
            raise history.no_history(edge, place)
        found.append((edge, number, start_gradient(output, grad, place)))
    return found


def start_gradient(output: Tensor | GradientEdge, grad: Any, place: int) -> Tensor:
    shape, kind = edges.described(output)
    if grad is None:
        if math.prod(shape) != 1:
            raise RuntimeError(
                "grad can be implicitly created only for scalar outputs"
                f"; this one has shape {list(shape)}: reduce it first, with .sum() or .mean(), or pass "
                "backward(gradient=...)"
            )
        if kind.kind == "c":
            raise RuntimeError(
                f"grad can be implicitly created only for real scalar outputs but got {dtypes.from_numpy(kind)}"
            )
        # np.ones takes 0.7 us
        made = np.ones(shape, kind) if shape else np.array(1, kind)
        return wrap(beside(output._array, made) if isinstance(output, Tensor) else made)
    if not isinstance(grad, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
    if grad._array.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{place}] has a shape of {grad.shape} and output[{place}] has a shape of "
            f"{Size(shape)}."
        )
    if (grad._array.dtype.kind == "c") != (kind.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{place}] has a dtype of {grad.dtype} and output[{place}] has a dtype of "
            f"{dtypes.from_numpy(kind)}."
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
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`."
            )
        grad_tensors = grad_variables
    wanted = None if inputs is None else input_tuple(inputs, "backward")
    if wanted is not None and not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if create_graph:
        warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
            "gradient which can cause a memory leak: use autograd.grad instead, or set the .grad of your parameters to "
            "None afterwards."
        )
    keep = create_graph if retain_graph is None else retain_graph
    roots = start_gradients(as_tuple(tensors), as_tuple(grad_tensors))
    if wanted is None:
        engine.backward(roots, bool(keep), create_graph)
        return
    for each in wanted:
        if isinstance(each, Tensor):
            each.retain_grad()
    engine.backward(roots, bool(keep), create_graph, input_edges(wanted), accumulating=True)


def input_tuple(inputs: Any, function: str = "grad") -> tuple:
    """The tensors to differentiate for, also those of a dictionary."""
    if isinstance(inputs, ONE):
        return (inputs,)
    return tuple(inputs.values() if is_mapping(inputs, function) else inputs)


def is_mapping(inputs: Any, function: str = "grad") -> bool:
    if type(inputs) is dict:
        return True
    # asking an abstract class takes 0.3 us
    if not isinstance(inputs, (Tensor, tuple, list)) and isinstance(inputs, Mapping):
        raise TypeError(
            f"`inputs` argument to `{function}()` must be a dict, not {type(inputs).__name__}. Other Mapping types are "
            "not supported: write dict(...) around it."
        )
    return False


def input_edges(inputs: tuple) -> list:
    """Where the gradients that are asked for arrive."""
    for place, each in enumerate(inputs):
        if isinstance(each, Tensor):
            if not each.requires_grad:
                words = f"One of the differentiated Tensors does not require grad: input {place}."
                lines, fix = history.why_cut(each)
                raise explained(RuntimeError, words, lines=lines, fix=fix)
        elif not isinstance(each, GradientEdge):
            raise RuntimeError(
                f"all inputs have to be Tensors or GradientEdges, but got {type(each).__name__} at place {place}"
            )
    return list(map(edges.place_of, inputs))


def grad(
    outputs: Tensors,
    inputs: Tensors | Mapping[Any, Tensor | GradientEdge],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`, returned; no `.grad` is touched."""
    if overriding.modes.stack:
        options = {"retain_graph": retain_graph, "create_graph": create_graph, "only_inputs": only_inputs}
        unused = materialize_grads if allow_unused is None else allow_unused
        options |= {"allow_unused": unused, "is_grads_batched": is_grads_batched}
        options |= {"grad_outputs": grad_outputs, "materialize_grads": materialize_grads}
        found = overriding.divert(grad, (outputs, inputs), options)
        if found is not NotImplemented:
            return found
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if not only_inputs:
        warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
        )
    wanted = input_tuple(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    keep = bool(create_graph if retain_graph is None else retain_graph)
    unused = bool(allow_unused or materialize_grads)
    roots = as_tuple(outputs)
    if is_grads_batched:
        found = batched(roots, wanted, as_tuple(grad_outputs), keep, create_graph, unused)
    else:
        found = gradients(roots, wanted, as_tuple(grad_outputs), keep, create_graph, unused)
    if materialize_grads:
        found = [zeros_of(wanted[place], create_graph) if each is None else each for place, each in enumerate(found)]
    return dict(zip(inputs, found, strict=True)) if is_mapping(inputs) else tuple(found)


def gradients(roots: tuple, wanted: tuple, given: tuple, keep: bool, create: bool, unused: bool) -> list:
    """The gradients for `wanted`; None for what was not used, if that is allowed."""
    starts = start_gradients(roots, given)
    found = engine.backward(starts, keep, create, input_edges(wanted))
    assert found is not None
    if not unused:
        for place, each in enumerate(found):
            if each is None:
                raise history.unused(place)
    return found


def zeros_of(each: Tensor | GradientEdge, recorded: bool) -> Tensor:
    """The gradient for what the outputs do not depend on; a leaf where the others have a history."""
    if not isinstance(each, Tensor):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge: pass the tensor")
    zeros = wrap(empty_like_array(each._array))
    zeros._array.fill(0)
    return zeros.requires_grad_() if recorded else zeros


def batched(roots: tuple, wanted: tuple, rows: tuple, keep: bool, create: bool, unused: bool) -> list:
    """A gradient for each row of `grad_outputs`, all of them in one backward."""
    from rushlight.func.mapping import vmap

    rows = rows[: len(roots)]
    for place, (root, row) in enumerate(zip(roots, rows, strict=False)):
        if isinstance(row, Tensor) and row.ndim and row.shape[1:] != edges.described(root)[0]:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{place}] has a shape of {row.shape} and output"
                f"[{place}] has a shape of {Size(edges.described(root)[0])}."
            )
    missing: list[int] = []

    def one(*given: Tensor) -> tuple:
        found = gradients(roots, wanted, given, keep, create, unused)
        missing.extend([place for place, each in enumerate(found) if each is None])
        return tuple([each for each in found if each is not None])

    found = list(vmap(one)(*rows))
    for place in missing:
        found.insert(place, None)
    return found
