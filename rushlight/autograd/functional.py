"""Functional derivatives: Jacobians, Hessians and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.autograd import entry, modes
from rushlight.core.tensor import Tensor


def as_tuple(value: Any, what: str) -> tuple[tuple, bool]:
    """A tuple of tensors, and whether it was one already."""
    if isinstance(value, tuple):
        found, several = value, True
    else:
        found, several = (value,), False
    for each in found:
        if not isinstance(each, Tensor):
            raise TypeError(f"The {what} must be either a Tensor or a tuple of Tensors but got {type(each).__name__}")
    return found, several


def fresh(inputs: tuple, create_graph: bool) -> tuple:
    """The inputs as the points to differentiate at: part of the graph only if that is wanted."""
    if create_graph:
        return tuple(each.view_as(each) if each.requires_grad else each.detach().requires_grad_() for each in inputs)
    return tuple(each.detach().requires_grad_() for each in inputs)


def finished(value: Any, create_graph: bool) -> Any:
    if isinstance(value, tuple):
        return tuple(finished(each, create_graph) for each in value)
    return value if create_graph else value.detach()


def unpacked(value: tuple, several: bool) -> Any:
    return value if several else value[0]


def gradients(outputs: tuple, inputs: tuple, given: tuple | None, create: bool, strict: bool, what: str) -> tuple:
    """Gradients with zeros for what does not depend; an error instead if `strict`."""
    dependent = [
        (o, None if given is None else g) for o, g in zip(outputs, given or outputs, strict=True) if o.requires_grad
    ]
    if strict and len(dependent) < len(outputs):
        raise RuntimeError(
            f"The output of the user-provided function is independent of the input: {what} has no path to it. This is "
            "not allowed in strict mode."
        )
    found: tuple = (None,) * len(inputs)
    if dependent:
        roots, starts = zip(*dependent, strict=True)
        found = entry.grad(roots, inputs, starts, retain_graph=True, create_graph=create, allow_unused=True)
    for place, each in enumerate(found):
        if strict and each is None:
            raise RuntimeError(
                f"The output of the user-provided function is independent of input {place}. This is not allowed in "
                "strict mode."
            )
    return tuple(each.new_zeros(each.shape) if grad is None else grad for each, grad in zip(inputs, found, strict=True))


def check_vector(v: Any, others: tuple, what: str) -> tuple:
    if v is None:
        if len(others) != 1 or others[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {what} is a single Tensor with a single element")
        return (others[0].new_ones(others[0].shape),)
    found, _ = as_tuple(v, "vector")
    if len(found) != len(others):
        raise RuntimeError(f"Tuple v has invalid length: should be {len(others)} but got {len(found)}.")
    for place, (each, other) in enumerate(zip(found, others, strict=True)):
        if each.shape != other.shape:
            raise RuntimeError(f"v[{place}] has invalid size: should be {other.shape} but got {each.shape}.")
    return found


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The outputs, and a vector times the Jacobian."""
    with modes.enable_grad():
        points, several = as_tuple(inputs, "inputs given to vjp")
        points = fresh(points, create_graph)
        outputs, many = as_tuple(func(*points), "outputs of the user-provided function given to vjp")
        vector = check_vector(v, outputs, "output")
        found = gradients(outputs, points, vector, create_graph, strict, "it")
    return finished(unpacked(outputs, many), create_graph), finished(unpacked(found, several), create_graph)


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The outputs, and the Jacobian times a vector; by differentiating a vjp, which is linear in its vector."""
    with modes.enable_grad():
        points, _ = as_tuple(inputs, "inputs given to jvp")
        vector = check_vector(v, points, "input to the user-provided function")
        points = fresh(points, create_graph)
        outputs, many = as_tuple(func(*points), "outputs of the user-provided function given to jvp")
        zeros = tuple(each.new_zeros(each.shape).requires_grad_() for each in outputs)
        backward = gradients(outputs, points, zeros, True, strict, "it")
        found = gradients(backward, zeros, vector, create_graph, False, "the Jacobian")
    return finished(unpacked(outputs, many), create_graph), finished(unpacked(found, many), create_graph)


def jacobian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The Jacobian of every output with respect to every input: `(*output_shape, *input_shape)`."""
    if strategy not in ("reverse-mode", "forward-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode"')
    with modes.enable_grad():
        points, several = as_tuple(inputs, "inputs given to jacobian")
        points = fresh(points, create_graph)
        outputs, many = as_tuple(func(*points), "outputs of the user-provided function given to jacobian")
        found = tuple(jacobian_of(each, points, create_graph, strict) for each in outputs)
    found = tuple(unpacked(each, several) for each in found)
    return finished(unpacked(found, many), create_graph)


def jacobian_of(output: Tensor, points: tuple, create_graph: bool, strict: bool) -> tuple:
    from rushlight.ops.joining import stack

    rows = []
    for place in range(output.numel()):
        start = output.new_zeros(output.numel())
        start[place] = 1
        rows.append(gradients((output,), points, (start.reshape(output.shape),), create_graph, strict, "it"))
    if not rows:
        return tuple(each.new_zeros((*output.shape, *each.shape)) for each in points)
    return tuple(
        stack(column).reshape((*output.shape, *each.shape))
        for column, each in zip(zip(*rows, strict=True), points, strict=True)
    )


def hessian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function that returns a single number."""
    points, several = as_tuple(inputs, "inputs given to hessian")

    def gradient(*values: Tensor) -> tuple:
        output = require_scalar(func(*values), "hessian")
        return gradients((output,), values, None, True, strict, "it")

    found = jacobian(gradient, points, create_graph, strict)
    return found if several else found[0][0]


def require_scalar(output: Any, name: str) -> Tensor:
    if not isinstance(output, Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor, not {type(output).__name__}")
    if output.numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return output.reshape(())


def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The value, and the Hessian times a vector."""
    return vhp(func, inputs, v, create_graph, strict)


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The value, and a vector times the Hessian; the Hessian is symmetric, so both are one gradient of a gradient."""
    with modes.enable_grad():
        points, several = as_tuple(inputs, "inputs given to vhp")
        points = fresh(points, create_graph)
        vector = check_vector(v, points, "input to the user-provided function")
        output = func(*points)
        require_scalar(output, "vhp")
        slopes = gradients((output,), points, None, True, strict, "it")
        found = gradients(slopes, points, vector, create_graph, strict, "the gradient")
    return finished(output, create_graph), finished(unpacked(found, several), create_graph)
