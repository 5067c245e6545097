"""Slopes: the derivative of a function along each dimension, estimated from its values on a grid."""

from __future__ import annotations

from typing import Any

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.dims import axes
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.reductions.differences import divided, scaled
from rushlight.ops.shape.joining import cat


def grids(make):
    x = make.floats(4, 5)
    return [
        case(x),
        case(x, spacing=0.5),
        case(x, spacing=[0.5, 2.0]),
        case(x, dim=1),
        case(x, dim=(1, 0), spacing=[0.5, 2.0]),
        case(x, spacing=(np_range(4, 0.5), np_range(5, 2)), edge_order=2),
        case(x, spacing=(make.floats(5).cumsum() * 3,), dim=-1),
        case(x, edge_order=2),
        case(make.ints(4), edge_order=2),
        case(make.complexes(4)),
        case(make.floats()),
        case(x, dim=[]),
        case(make.floats(1)),
        case(make.floats(2), edge_order=2),
        case(x, edge_order=3),
        case(x, dim=(0, 0)),
        case(x, dim=2),
        case(x, spacing=[1.0, 2.0], dim=0),
        case(x, spacing=[1.0]),
        case(make.ints(4, low=0, dtype="uint8")),
    ]


def np_range(count: int, step: float) -> Any:
    import numpy as np

    return np.arange(count, dtype="float32") ** 2 * step


@composed(method=False, samples=cases(grids))
def gradient(input, *, spacing=None, dim=None, edge_order=1):
    """The slope along each dimension, or each in `dim`: from both neighbours inside, from one side at the ends.

    `spacing` is the distance of neighbours, for all dimensions (1) or for each, or a list of tensors of coordinates.

    >>> torch.gradient(torch.tensor([0.0, 1.0, 4.0, 9.0]))
    (tensor([1., 2., 4., 5.]),)
    """
    if edge_order not in (1, 2):
        raise RuntimeError(f"torch.gradient only supports edge_order=1 and edge_order=2., not {edge_order}")
    if input.dtype is dtypes.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.: convert it first, for example with .float()")
    dims = read_dims(input, dim)
    steps = read_spacing(input, spacing, dim, dims)
    for each in dims:
        if input.shape[each] < edge_order + 1:
            raise RuntimeError(
                "torch.gradient expected each dimension size to be at least edge_order+1, but dimension "
                f"{each} has size {input.shape[each]}"
            )
    return tuple([along(input, each, step, edge_order) for each, step in zip(dims, steps, strict=True)])


def read_dims(input: Tensor, dim: Any) -> list[int]:
    """The dimensions to differentiate along, counted from the front."""
    if dim is None:
        return list(range(input.ndim))
    if isinstance(dim, (list, tuple)) and not dim:
        return []
    found = axes(dim, input.ndim)
    return list(found) if isinstance(found, tuple) else [found]


def read_spacing(input: Tensor, spacing: Any, dim: Any, dims: list[int]) -> list:
    """The step or the coordinates along each dimension."""
    if not isinstance(spacing, (list, tuple)):
        return [1 if spacing is None else spacing] * len(dims)
    if len(spacing) != len(dims):
        if dim is None:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                f"'self.dim() = {input.ndim}', since dim argument was not given, but got a list of length "
                f"{len(spacing)}"
            )
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have "
            f"the same length, but got a spacing argument of length {len(spacing)} and a dim argument of length "
            f"{len(dims)}."
        )
    for place, each in zip(dims, spacing, strict=True):
        if isinstance(each, Tensor) and each.ndim and tuple(each.shape) != (input.shape[place],):
            raise RuntimeError(
                f"torch.gradient expected each element of spacing to have one coordinate for each element of dimension "
                f"{place}, which are {input.shape[place]}, but got a tensor of shape {list(each.shape)}"
            )
    return list(spacing)


def along(values: Tensor, dim: int, step: Any, order: int) -> Tensor:
    """The slopes along one dimension, as long as the values."""
    size = values.shape[dim]

    def at(start: int, stop: int) -> Tensor:
        return values.narrow(dim, start, stop - start)

    if isinstance(step, Tensor) and step.ndim:
        return uneven(at, step.diff().reshape([-1] + [1] * (values.ndim - dim - 1)), size, order)
    inner = divided(at(2, size) - at(0, size - 2), 2 * step)
    if order == 1:
        first, last = at(1, 2) - at(0, 1), at(size - 1, size) - at(size - 2, size - 1)
        return cat([divided(first, step), inner, divided(last, step)], dim)
    first = scaled(at(0, 1), -3) + scaled(at(1, 2), 4) - at(2, 3)
    last = scaled(at(size - 1, size), 3) - scaled(at(size - 2, size - 1), 4) + at(size - 3, size - 2)
    return cat([divided(first, 2 * step), inner, divided(last, 2 * step)], dim)


def uneven(at: Any, widths: Tensor, size: int, order: int) -> Tensor:
    """The slopes between points that are `widths` apart: exact for parabolas inside, and at the ends if order is 2."""

    def parabola(left: Tensor, right: Tensor, points: list, place: int) -> Tensor:
        """The derivative of the parabola through three points, at one of them."""
        both = left + right
        weights = (
            (-(2 * left + right) / (left * both), both / (left * right), -left / (right * both)),
            (-right / (left * both), (right - left) / (left * right), left / (right * both)),
            (right / (left * both), -both / (left * right), (left + 2 * right) / (right * both)),
        )[place]
        return weights[0] * points[0] + weights[1] * points[1] + weights[2] * points[2]

    before, after = widths[:-1], widths[1:]
    inner = parabola(before, after, [at(0, size - 2), at(1, size - 1), at(2, size)], 1)
    if order == 1:
        first, last = (at(1, 2) - at(0, 1)) / widths[:1], (at(size - 1, size) - at(size - 2, size - 1)) / widths[-1:]
    else:
        first = parabola(before[:1], after[:1], [at(0, 1), at(1, 2), at(2, 3)], 0)
        last = parabola(before[-1:], after[-1:], [at(size - 3 + each, size - 2 + each) for each in range(3)], 2)
    return cat([first, inner, last], inner.ndim - widths.ndim)
