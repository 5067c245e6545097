"""Forward mode: `jvp` and `linearize`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.autograd.forward_ad import check_dual, laid_out
from rushlight.core.creation.likeness import zeros_like
from rushlight.core.memory.lifted import Lifted
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor
from rushlight.func.arguments import lowered, tensors_only, with_aux
from rushlight.func.gradients import pulled_back
from rushlight.ops.machine.transforms.forward import Forward
from rushlight.ops.shape.shape import alias
from rushlight.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["jvp", "linearize"]

NAME = "jvp(f, primals, tangents)"


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of `func`, and its derivative along `tangents`.

    >>> torch.func.jvp(torch.sin, (torch.tensor([0.0, 1.0]),), (torch.ones(2),))
    (tensor([0.0000, 0.8415]), tensor([1.0000, 0.5403]))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{NAME}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    given, spec = tree_flatten(primals)
    moved, moved_spec = tree_flatten(tangents)
    if spec != moved_spec:
        raise RuntimeError(
            f"{NAME}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            "tuple of 3 tensors, tangents also must be. Got primals with structure "
            f"{spec} and tangents with structure {moved_spec}"
        )
    check_tensors(given, "primals")
    check_tensors(moved, "tangents")
    level = Forward()
    with level:
        duals = [dual(level, primal, tangent) for primal, tangent in zip(given, moved, strict=True)]
        output = func(*tree_unflatten(duals, spec))
        aux = None
        if has_aux:
            output, aux = with_aux(output, NAME)
        leaves, output_spec = tensors_only(output, f"{NAME}: expected f(*primals) to return only tensors")
        value = tree_unflatten([alias(lowered(level, each)) for each in leaves], output_spec)
        slope = tree_unflatten([tangent_of(level, each, strict) for each in leaves], output_spec)
    return (value, slope, lowered(level, aux)) if has_aux else (value, slope)


def check_tensors(leaves: list, name: str) -> None:
    if not leaves:
        raise RuntimeError(f"{NAME}: Expected {name} to contain at least one Tensor.")
    for each in leaves:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"{NAME}: Expected {name} to only contain Tensors, got {type(each)}")


def dual(level: Forward, primal: Tensor, tangent: Tensor) -> Tensor:
    """A tensor with a tangent, in a level."""
    check_dual(primal, tangent)
    return level.dual(alias(primal), laid_out(tangent, primal))


def tangent_of(level: Forward, value: Tensor, strict: bool) -> Tensor:
    array = value._array
    if type(array) is Lifted and array.level is level:
        return laid_out(array.aside, array.inner)
    if strict:
        raise RuntimeError(
            f"{NAME}: The output of f is independent of the inputs. This is not allowed with strict=True."
        )
    return zeros_like(value)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The value of `func`, and its derivative there as a linear function of tangents.

    >>> output, slope = torch.func.linearize(torch.sin, torch.tensor([0.0, 1.0]))
    >>> slope(torch.tensor([1.0, 2.0]))
    tensor([1.0000, 1.0806])
    """
    given, spec = tree_flatten(primals)
    shape: list[Any] = []

    def moving(*primals: Any) -> tuple[list[Tensor], list[Tensor]]:
        """The outputs that can move, and all of them."""
        leaves, output_spec = tensors_only(func(*primals), f"{NAME}: expected f(*primals) to return only tensors")
        shape.append(output_spec)
        return [each for each in leaves if each._array.dtype in DIFFERENTIABLE], leaves

    outputs, back, values = pulled_back(moving, primals, has_aux=True)
    # going back is linear in what it starts from: going back through that is going forth
    _, forth = pulled_back(back, ([each.new_zeros(each.shape) for each in outputs],), has_aux=False)

    def slope(*tangents: Any) -> Any:
        moved, moved_spec = tree_flatten(tangents)
        if moved_spec != spec:
            raise RuntimeError(f"Expected the tangents {moved_spec} to have the same argspec as the primals {spec}")
        for place, (tangent, primal) in enumerate(zip(moved, given, strict=True)):
            check_tangent(place, primal, tangent)
        waiting = iter(forth(tangents)[0] if outputs else [])
        moves = [each._array.dtype in DIFFERENTIABLE for each in values]
        slopes = [next(waiting) if yes else each.new_zeros(each.shape) for each, yes in zip(values, moves, strict=True)]
        return tree_unflatten(slopes, shape[0])

    return tree_unflatten(values, shape[0]), slope


def check_tangent(place: int, primal: Tensor, tangent: Tensor) -> None:
    begins = f"tangent:{place} with"
    if tangent.shape != primal.shape:
        raise RuntimeError(
            f"{begins} shape {tangent.shape} in flattened pytree doesn't match the shape {primal.shape} of the "
            "corresponding primal."
        )
    if tangent.dtype != primal.dtype:
        raise RuntimeError(
            f"{begins} dtype {tangent.dtype} in flattened pytree doesn't match the dtype {primal.dtype} of the "
            "corresponding primal."
        )
