"""Reverse mode: `grad`, `grad_and_value` and `vjp`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.autograd.modes import enable_grad
from rushlight.core.creation.likeness import zeros_like
from rushlight.core.memory.lifted import Lifted
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor
from rushlight.func.arguments import Argnums, chosen, each_tensor, lowered, replaced, taken_off, tensors_only, with_aux
from rushlight.ops.machine.transforms.tracking import Tracking
from rushlight.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["grad", "grad_and_value", "vjp"]


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that computes the gradient of `func`, which returns one number.

    >>> cube = lambda x: x**3
    >>> torch.func.grad(cube)(torch.tensor(2.0)), torch.func.grad(torch.func.grad(cube))(torch.tensor(2.0))
    (tensor(12.), tensor(12.))
    """

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = value_and_gradient(func, argnums, has_aux, args, kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The function that computes the gradient of `func`, and its value.

    >>> torch.func.grad_and_value(lambda x: x**3)(torch.tensor(2.0))
    (tensor(12.), tensor(8.))
    """

    @functools.wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        return value_and_gradient(func, argnums, has_aux, args, kwargs)

    return gradient


def value_and_gradient(
    func: Callable[..., Any], argnums: Argnums, has_aux: bool, args: tuple, kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """The gradient, and the value: with `has_aux` a pair of it and what goes along."""
    level = Tracking()
    with level:
        wanted = each_tensor(functools.partial(leaf, level), chosen(argnums, args))
        with enable_grad():
            output = func(*replaced(args, argnums, wanted), **kwargs)
        aux = None
        if has_aux:
            output, aux = with_aux(output, "grad_and_value(f)(*args)")
        check_scalar(output)
        leaves, spec = tree_flatten(wanted)
        found = tree_unflatten(derivatives(level, [output], leaves, [None]), spec)
        value = taken_off(level, output)
        return found, (value, lowered(level, aux)) if has_aux else value


def check_scalar(output: Any) -> None:
    name = "grad_and_value(f)(*args)"
    if not isinstance(output, Tensor):
        raise RuntimeError(f"{name}: Expected f(*args) to return a Tensor, got {type(output)}")
    if output.dim():
        raise RuntimeError(
            f"{name}: Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. Maybe you "
            "wanted to use the vjp or jacrev APIs instead?"
        )


def leaf(level: Tracking, value: Tensor) -> Tensor:
    """A tensor to differentiate for, in a level."""
    if value._array.dtype not in DIFFERENTIABLE:
        raise RuntimeError(
            "only Tensors of floating point dtype can require gradients; this one is "
            f"{value.dtype}: convert it first, for example with .float()"
        )
    # an alias: the argument may come twice
    return level.leaf(value)


def derivatives(
    level: Tracking, outputs: Sequence[Tensor], inputs: list[Tensor], cotangents: Sequence[Tensor | None]
) -> list[Tensor]:
    """The gradients of outputs of a level, below it; zeros for what they do not depend on."""
    roots, given = [], []
    for output, cotangent in zip(outputs, cotangents, strict=True):
        array = output._array
        if type(array) is not Lifted or array.level is not level or not output.requires_grad:
            continue
        if cotangent is None:
            if array.dtype.kind == "c":
                raise RuntimeError(
                    f"grad can be implicitly created only for real scalar outputs but got {output.dtype}"
                )
            cotangent = array.inner.new_ones(output.shape)
        roots.append(output)
        given.append(cotangent)
    found = level.gradients(roots, inputs, given) if roots else [None] * len(inputs)
    return [zeros_for(each) if slope is None else slope for each, slope in zip(inputs, found, strict=True)]


def zeros_for(value: Tensor) -> Tensor:
    array: Any = value._array
    return zeros_like(array.inner)


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The value of `func`, and the function that takes gradients of its outputs back to its inputs.

    >>> output, back = torch.func.vjp(torch.sin, torch.tensor([0.0, 1.0]))
    >>> output, back(torch.ones(2))
    (tensor([0.0000, 0.8415]), (tensor([1.0000, 0.5403]),))
    """
    return pulled_back(func, primals, has_aux)


def pulled_back(func: Callable[..., Any], primals: tuple, has_aux: bool, argnums: Argnums | None = None) -> Any:
    """As `vjp`, for some of the arguments alone where `argnums` names them."""
    level = Tracking()
    with level:
        given = primals if argnums is None else chosen(argnums, primals)
        wanted = each_tensor(functools.partial(leaf, level), given)
        with enable_grad():
            output = func(*(wanted if argnums is None else replaced(primals, argnums, wanted)))
        aux = None
        if has_aux:
            output, aux = with_aux(output, "vjp(f, *primals)")
        leaves, output_spec = tensors_only(output, "vjp(f, *primals): expected f(*primals) to return only tensors")
        inputs, spec = tree_flatten(wanted)

    def back(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given, given_spec = tree_flatten(cotangents)
        if given_spec != output_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {shown(cotangents)}, primal output: {shown(output)}"
            )
        # the level once more, above all that have begun since
        with level:
            for place, (grad, each) in enumerate(zip(given, leaves, strict=True)):
                if grad.shape != each.shape:
                    raise RuntimeError(
                        f"Mismatch in shape: grad_output[{place}] has a shape of {grad.shape} and output[{place}] has "
                        f"a shape of {each.shape}."
                    )
            return tree_unflatten(derivatives(level, leaves, inputs, given), spec)

    value = lowered(level, output)
    return (value, back, lowered(level, aux)) if has_aux else (value, back)


def shown(tree: Any) -> str:
    """A tree with a star for each leaf."""
    if isinstance(tree, Tensor):
        return "*"
    if isinstance(tree, dict):
        return "{" + ", ".join([f"{name!r}: {shown(each)}" for name, each in tree.items()]) + "}"
    inside = ", ".join([shown(each) for each in tree])
    return f"[{inside}]" if isinstance(tree, list) else f"({inside}{',' if len(tree) == 1 else ''})"
