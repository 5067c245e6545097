"""Functional derivatives: Jacobians, Hessians and their products with vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.autograd import entry, modes
from rushlight.core.creation.likeness import zeros_like
from rushlight.core.object.tensor import Tensor

TWICE = (
    "This is not allowed in strict mode. You should ensure that your function is twice differentiable and that the "
    "jacobian depends on the inputs (this would be violated by a linear function for example)."
)
NOT_THERE = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "slopes": "The gradient with respect to input {} is independent of the inputs of the user-provided function. This "
    "is not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {} is independent of the input. " + TWICE,
    "hessian": "While computing the hessian, found that the hessian of the user-provided function with respect to "
    "input {} is independent of the input. " + TWICE,
}
# what a gradient that was not found says of its input, first and in second derivatives
INDEPENDENT = {
    "first": "The output of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the "
    "double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "second": "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict "
    "mode.",
}


def as_tuple(value: Any, what: str, function: str) -> tuple[tuple, bool]:
    """A tuple of tensors, and whether it was one already."""
    several = isinstance(value, tuple)
    found = value if several else (value,)
    for place, each in enumerate(found):
        if not isinstance(each, Tensor):
            which = f"value at index {place}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the {which} has "
                f"type {type(each)}."
            )
    return found, several


def called(func: Callable, points: tuple, function: str) -> tuple[tuple, bool]:
    """The outputs of the user's function as a tuple, and whether they were one already."""
    return as_tuple(func(*points), "outputs of the user-provided function", function)


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


def require_history(tensors: tuple, what: str, strict: bool) -> None:
    """In strict mode: every tensor depends on the inputs."""
    for place, each in enumerate(tensors):
        if strict and not each.requires_grad:
            raise RuntimeError(NOT_THERE[what].format(place))


def found_gradients(outputs: tuple, inputs: tuple, given: tuple | None, create_graph: bool) -> tuple:
    """Gradients of those outputs that have a history; None where there is no way."""
    pairs = [
        (output, None if given is None else given[place])
        for place, output in enumerate(outputs)
        if output.requires_grad
    ]
    if not pairs:
        return (None,) * len(inputs)
    roots, starts = zip(*pairs, strict=True)
    return entry.grad(roots, inputs, starts, retain_graph=True, create_graph=create_graph, allow_unused=True)


def filled(found: tuple, like: tuple, create_graph: bool, strict: bool, stage: str) -> tuple:
    """Gradients with zeros for what does not depend; an error instead if `strict`."""
    for place, each in enumerate(found):
        if not strict:
            break
        if each is None:
            raise RuntimeError(INDEPENDENT[stage].format(place))
        if create_graph and not each.requires_grad:
            kind = "hessian" if stage == "second" else "jacobian"
            raise RuntimeError(
                f"The {kind} of the user-provided function is independent of input {place}. This is not allowed in "
                "strict mode when create_graph=True."
            )
    return tuple(zeros_like(each) if grad is None else grad for each, grad in zip(like, found, strict=True))


def check_vector(v: Any, others: tuple, several: bool, function: str, whose: str) -> tuple:
    """The vector, of the sizes of the tensors it is multiplied with; 1 for a single number."""
    if v is None:
        if len(others) != 1 or others[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if {whose} a single Tensor with a single element.")
        return (others[0].new_ones(others[0].shape),)
    found, _ = as_tuple(v, "v", function)
    if len(found) != len(others):
        if several:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(others)} but got {len(found)}.")
        raise RuntimeError(f"The given v should contain a single Tensor. It has {len(found)}.")
    for place, (each, other) in enumerate(zip(found, others, strict=True)):
        if each.shape != other.shape:
            where = f"Entry {place} in " if several else ""
            raise RuntimeError(f"{where}v has invalid size: should be {other.shape} but got {each.shape}.")
    return found


INPUT = "the input to the user-provided function is"


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The outputs, and a vector times the Jacobian."""
    with modes.enable_grad():
        points, several = as_tuple(inputs, "inputs", "vjp")
        points = fresh(points, create_graph)
        outputs, many = called(func, points, "vjp")
        require_history(outputs, "outputs", strict)
        vector = check_vector(v, outputs, many, "vjp", "the user-provided function returns")
        found = found_gradients(outputs, points, vector, create_graph)
        found = filled(found, points, create_graph, strict, "first")
    return finished(unpacked(outputs, many), create_graph), finished(unpacked(found, several), create_graph)


def zeros_to_differentiate(tensors: tuple) -> tuple:
    return tuple(zeros_like(each).requires_grad_() for each in tensors)


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The outputs, and the Jacobian times a vector; by differentiating a vjp, which is linear in its vector."""
    with modes.enable_grad():
        points, several = as_tuple(inputs, "inputs", "jvp")
        vector = check_vector(v, points, several, "jvp", INPUT)
        points = fresh(points, create_graph)
        outputs, many = called(func, points, "jvp")
        require_history(outputs, "outputs", strict)
        starts = zeros_to_differentiate(outputs)
        slopes = filled(found_gradients(outputs, points, starts, True), points, False, strict, "first")
        require_history(slopes, "slopes", strict)
        found = found_gradients(slopes, starts, vector, create_graph)
        found = filled(found, outputs, create_graph, strict, "trick")
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
    check_strategy(strategy, create_graph, strict, vectorize)
    if strategy == "forward-mode":
        return by_columns(func, inputs)
    with modes.enable_grad():
        points, several = as_tuple(inputs, "inputs", "jacobian")
        points = fresh(points, create_graph)
        outputs, many = called(func, points, "jacobian")
        require_history(outputs, "outputs", strict)
        if vectorize:
            found = tuple(all_rows(each, points, create_graph) for each in outputs)
        else:
            found = tuple(
                jacobian_of(each, number, points, create_graph, strict) for number, each in enumerate(outputs)
            )
    found = tuple(unpacked(each, several) for each in found)
    return finished(unpacked(found, many), create_graph)


def check_strategy(strategy: str, create_graph: bool, strict: bool, vectorize: bool) -> None:
    """Refuse the combinations that torch refuses."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not '
                'supported together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
            )
        if not vectorize:
            raise NotImplementedError(
                "Computing Jacobian using forward-AD or forward-over-reverse Hessian is"
                "only implemented for `vectorize=True`."
            )
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
            "Please either set `strict=False` or `vectorize=False`."
        )


def by_columns(func: Callable, inputs: Any) -> Any:
    """The Jacobian in forward mode, a column for each element of the inputs."""
    from rushlight.func.jacobians import jacfwd

    points, several = as_tuple(inputs, "inputs", "jacobian")
    many: list[bool] = []

    def outputs(*values: Tensor) -> tuple:
        tensors, are_several = called(func, values, "jacobian")
        many.append(are_several)
        return tensors

    found = jacfwd(outputs, tuple(range(len(points))))(*[each.detach() for each in points])
    found = tuple(unpacked(each, several) for each in found)
    return finished(unpacked(found, many[0]), False)


def all_rows(output: Tensor, points: tuple, create_graph: bool) -> tuple:
    """The Jacobian of one output, all of its rows in one backward."""
    count = output.numel()
    if not output.requires_grad or not count:
        return tuple(each.new_zeros((*output.shape, *each.shape)) for each in points)
    rows = output.new_zeros(count, count)
    rows.diagonal().fill_(1)
    found = entry.grad(
        output.reshape(-1),
        points,
        rows,
        retain_graph=True,
        create_graph=create_graph,
        allow_unused=True,
        is_grads_batched=True,
    )
    return tuple(
        each.new_zeros((*output.shape, *each.shape)) if grad is None else grad.view((*output.shape, *each.shape))
        for each, grad in zip(points, found, strict=True)
    )


def jacobian_of(output: Tensor, number: int, points: tuple, create_graph: bool, strict: bool) -> tuple:
    """The Jacobian of one output, a row for each of its elements."""
    from rushlight.ops.shape.joining import stack

    rows = []
    flat = output.reshape(-1)
    for place in range(output.numel()):
        found = found_gradients((flat[place],), points, None, create_graph)
        for position, each in enumerate(found if strict else ()):
            if each is None:
                raise RuntimeError(
                    f"Output {number} of the user-provided function is independent of input {position}. This is not "
                    "allowed in strict mode."
                )
        rows.append(filled(found, points, create_graph, strict, "first"))
    columns = zip(*rows, strict=True) if rows else [()] * len(points)
    return tuple(stack(column).view((*output.shape, *each.shape)) for column, each in zip(columns, points, strict=True))


def hessian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function that returns a single number."""
    points, several = as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def value(*values: Tensor) -> Tensor:
        outputs = called(func, values, "hessian")
        return single_number(outputs, "hessian", strict).squeeze()

    def slopes(*values: Tensor) -> tuple:
        found = jacobian(value, values, create_graph=True)
        require_history(found, "jacobian", strict)
        return found

    if outer_jacobian_strategy == "forward-mode":
        check_strategy(outer_jacobian_strategy, create_graph, strict, vectorize)
        from rushlight.func.jacobians import jacfwd, jacrev

        places = tuple(range(len(points)))
        found = jacfwd(jacrev(value, places), places)(*[each.detach() for each in points])
        return finished(found if several else found[0][0], create_graph)
    found = jacobian(slopes, points, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found if several else found[0][0]


def single_number(outputs: tuple[tuple, bool], function: str, strict: bool) -> Tensor:
    """The one output of a function whose second derivatives are asked for."""
    tensors, several = outputs
    require_history(tensors, "outputs", strict)
    if several:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if tensors[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")
    return tensors[0]


def differentiated(
    func: Callable, inputs: Any, v: Any, create_graph: bool, strict: bool, function: str
) -> tuple[tuple, bool, tuple, Tensor, tuple]:
    """What `hvp` and `vhp` begin with: points, whether they are several, the vector, the value and its slopes."""
    points, several = as_tuple(inputs, "inputs", function)
    vector = check_vector(v, points, several, function, INPUT)
    points = fresh(points, create_graph)
    outputs = called(func, points, function)
    output = single_number(outputs, function, strict)
    slopes = filled(found_gradients(outputs[0], points, None, True), points, False, strict, "first")
    require_history(slopes, "jacobian", strict)
    return points, several, vector, output, slopes


def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The value, and the Hessian times a vector; by differentiating the vector-Hessian product, which is linear."""
    with modes.enable_grad():
        points, several, vector, output, slopes = differentiated(func, inputs, v, create_graph, strict, "hvp")
        starts = zeros_to_differentiate(slopes)
        products = filled(found_gradients(slopes, points, starts, True), points, False, False, "second")
        require_history(products, "hessian", strict)
        found = found_gradients(products, starts, vector, create_graph)
        found = filled(found, points, create_graph, strict, "trick")
    return finished(output, create_graph), finished(unpacked(found, several), create_graph)


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """The value, and a vector times the Hessian: the gradient of a gradient."""
    with modes.enable_grad():
        points, several, vector, output, slopes = differentiated(func, inputs, v, create_graph, strict, "vhp")
        found = found_gradients(slopes, points, vector, create_graph)
        found = filled(found, points, create_graph, strict, "second")
    return finished(output, create_graph), finished(unpacked(found, several), create_graph)


def _as_tuple(inp: Any, arg_name: str | None = None, fn_name: str | None = None) -> tuple[bool, tuple]:
    """Whether several tensors were given, and a tuple of them; packages with Jacobians of their own ask for it."""
    given, several = as_tuple(inp, arg_name or "inputs", fn_name or "function")
    return several, given


def _grad_postprocess(inputs: Any, create_graph: bool) -> Any:
    """Derivatives without their history, unless it was asked for."""
    return finished(inputs, create_graph)


def _tuple_postprocess(res: tuple, to_unpack: bool | tuple[bool, bool]) -> Any:
    """Results in the form of what was given; `to_unpack` tells of outputs, and of inputs, whether there are several."""
    several, inside = to_unpack if isinstance(to_unpack, tuple) else (to_unpack, True)
    return unpacked(tuple(unpacked(each, inside) for each in res) if not inside else res, several)


def _construct_standard_basis_for(tensors: tuple, tensor_numels: tuple) -> tuple:
    """The rows of an identity matrix over the elements of all tensors, cut into columns for each tensor."""
    total, start, found = sum(tensor_numels), 0, []
    for tensor, count in zip(tensors, tensor_numels, strict=True):
        part = tensor.new_zeros(total, count)
        part.diagonal(-start).fill_(1)
        start += count
        found.append(part)
    return tuple(found)
