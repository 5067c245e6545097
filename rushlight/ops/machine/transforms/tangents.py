"""Tangents: the derivative of an op along a direction, from what its declaration says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.autograd.saved import shape_of
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor, geometry_of, storage_of
from rushlight.core.settings.state import state
from rushlight.ops.machine.transforms.level import is_lifted, restrided
from rushlight.ops.machine.transforms.lifting import invoke
from rushlight.ops.machine.transforms.tracking import Tracking
from rushlight.ops.machine.transforms.words import BY_STRIDES

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op, Plan

Tangents = dict[int, Any]


def derivative(op: Op, primals: list, tangents: Tangents, needs: int, results: Any) -> list[Tensor | None]:
    """The tangent of each result; None for one that does not move."""
    many = results if isinstance(results, tuple) else (results,)
    if op.tangent is not None:
        found = op.tangent(op, primals, tangents, results)
    elif op.name == "_strided_view":
        found = of_strided(op, primals, tangents, results)
    elif op.linear or op.is_view:
        found = of_linear(op, primals, tangents)
    elif op.factors:
        found = of_product(op, primals, tangents)
    else:
        plan = op.plan(needs)
        if op.is_pointwise and len(many) == 1 and is_real(plan, primals, many[0]):
            found = of_pointwise(op, plan, primals, tangents, many[0])
        else:
            found = transposed(op, plan, primals, tangents, many)
    found = list(found) if isinstance(found, (tuple, list)) else [found]
    return [own(op, fitting(moved, each), tangents) for moved, each in zip(found, many, strict=True)]


def fitting(moved: Tensor | None, result: Tensor) -> Tensor | None:
    """A tangent in the shape and dtype of its result; none for what is not differentiable."""
    if moved is None or result._array.dtype not in DIFFERENTIABLE:
        return None
    if moved._array.dtype != result._array.dtype:
        moved = moved.to(result.dtype)
    return moved.expand(result.shape).clone() if moved._array.shape != result._array.shape else moved


def own(op: Op, moved: Tensor | None, tangents: Tangents) -> Tensor | None:
    """A tangent with memory of its own, if its result has: `x + 1` moves as x does, and either may be written to."""
    if moved is None or op.is_view or not any([moved is each for each in tangents.values()]):
        return moved
    return moved.clone()


def of_linear(op: Op, primals: list, tangents: Tangents) -> Any:
    """The op itself on the tangents, with zeros in the place of what has none."""
    moved = list(primals)
    if op.name in BY_STRIDES and isinstance(tangents.get(0), Tensor):
        tangents = {0: laid_out_as(primals[0], tangents[0])}
    for place in op.tensors:
        if op.differentiable >> place & 1:
            moved[place] = along(primals[place], tangents.get(place))
    return invoke(op, moved)


def of_product(op: Op, primals: list, tangents: Tangents) -> Tensor | None:
    """The product with one factor moved, for each of them; what is added to it moves by itself."""
    total = None
    others = [place for place in op.tensors if place not in op.factors]
    added = {place: tangents.get(place) for place in others}
    for place in op.factors:
        if tangents.get(place) is None:
            continue
        given = list(primals)
        given[place] = tangents[place]
        for other in others:
            given[other], added[other] = added[other], None
        part = invoke(op, given)
        total = part if total is None else total + part
    return next((each for each in added.values() if each is not None), None) if total is None else total


def of_strided(op: Op, primals: list, tangents: Tangents, results: Any) -> Any:
    """A part of memory, by any geometry: the same part of the tangent's, where what it does not reach stands still."""
    primal, tangent, geometry = primals[0], tangents[0], primals[2]
    if tangent.stride() == primal.stride() and storage_size(tangent) == storage_size(primal):
        return invoke(op, [tangent, *restrided(primal, tangent, geometry)])
    from rushlight.ops.shape.strided import strided_take

    return strided_take(tangent, geometry_of(primal), geometry)


def storage_size(tensor: Tensor) -> int:
    """How much memory there is below all levels."""
    while is_lifted(tensor):
        tensor = tensor._array.inner
    return storage_of(tensor).array.nbytes


def laid_out_as(primal: Tensor, tangent: Tensor) -> Tensor:
    """A tangent that lies in memory as its primal does, so that it can be viewed in the same ways."""
    if tangent.stride() == primal.stride():
        return tangent
    return tangent.new_empty_strided(primal.shape, primal.stride()).copy_(tangent)


def along(primal: Any, tangent: Any) -> Any:
    """A tangent, or zeros in the place of one; a number does not move."""
    if isinstance(primal, (list, tuple)):
        known = tangent or [None] * len(primal)
        return [along(each, moved) for each, moved in zip(primal, known, strict=True)]
    if tangent is not None:
        return tangent
    if isinstance(primal, Tensor):
        return primal.new_zeros(primal.shape)
    return primal if primal is None else type(primal)(0)


def is_real(plan: Plan, primals: list, result: Tensor) -> bool:
    """Whether no complex number is involved."""
    given = [primals[place] for place in plan.inputs]
    return all([each._array.dtype.kind != "c" for each in (*given, result) if isinstance(each, Tensor)])


def of_pointwise(op: Op, plan: Plan, primals: list, tangents: Tangents, result: Tensor) -> Tensor | None:
    """The gradient formulas, with the tangents in place of `grad`: each slope is a diagonal."""
    saved = values_of(plan, primals, (result,))
    total = None
    for (formula, read, _), place in zip(plan.formulas, plan.inputs, strict=True):
        moved = fitting(tangents[place], result)
        if moved is None:
            return None
        part = formula(*read([moved, [moved], *saved]))
        if part is not None:
            total = part if total is None else total + part
    return total


def values_of(plan: Plan, primals: list, results: tuple) -> list:
    """What the formulas read, as a node would have saved it."""
    found = []
    for kind, position in plan.sources:
        if kind == "result":
            found.append(results[position])
            continue
        value = primals[position]
        if kind == "shape":
            value = value._array.shape if isinstance(value, Tensor) else shape_of(value)
        elif kind == "geometry":
            value = geometry_of(value)
        found.append(value)
    return found


def transposed(op: Op, plan: Plan, primals: list, tangents: Tangents, results: tuple) -> list[Tensor | None]:
    """The transpose of the gradient formulas, which are linear in `grad`: they are differentiated once more."""
    from rushlight.autograd import engine

    with Tracking() as level:
        before = state.grad, state.backward
        state.grad, state.backward = True, False
        try:
            seeds = [
                level.leaf(each.new_zeros(each.shape)) if each._array.dtype in DIFFERENTIABLE else None
                for each in results
            ]
            # formulas leave out what does not require grad
            known = [watched(level, each) if place in plan.inputs else each for place, each in enumerate(primals)]
            values = [seeds[0], seeds, *values_of(plan, known, results)]
            outputs, directions = [], []
            for (formula, read, many), place in zip(plan.formulas, plan.inputs, strict=True):
                produced, moved, given = formula(*read(values)), tangents[place], primals[place]
                columns = (produced, moved, given) if many else ([produced], [moved], [given])
                for slope, direction, primal in zip(*columns, strict=True):
                    if slope is None or direction is None or not slope.requires_grad:
                        continue
                    slope = engine.fit(slope, primal._array.shape, primal._array.dtype, None, place)
                    outputs.append(slope)
                    directions.append(fitting(direction, primal))
            if not outputs:
                return [None] * len(results)
            found = iter(level.gradients(outputs, [each for each in seeds if each is not None], directions))
            return [None if each is None else next(found) for each in seeds]
        finally:
            state.grad, state.backward = before


def watched(level: Tracking, value: Any) -> Any:
    """A tensor, or those of a list, as one that requires grad in a level."""
    if isinstance(value, (list, tuple)):
        return [watched(level, each) for each in value]
    return level.leaf(value) if isinstance(value, Tensor) and value._array.dtype in DIFFERENTIABLE else value
