"""Planes: elements read from, or added to, places counted within each image, row or volume."""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.formats import laid_out
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.straight import is_straight, straightened
from rushlight.ops.machine.transforms.words import FILLED


def flattened(array: np.ndarray, dims: int) -> np.ndarray:
    """The array with its last dimensions made one: (planes, elements)."""
    lead = array.shape[: array.ndim - dims]
    return array.reshape(math.prod(lead), math.prod(array.shape[array.ndim - dims :]))


@op(dtype=MATCH, batch=FILLED, linear=True, operands=["input"], name="_plane_gather", samples=None)
def gather_planes(input, indices: Tensor, dims: int):
    """The elements at `indices`, which count within the last `dims` dimensions of the input."""
    if not is_straight(input, indices):
        return laid_out(straightened(gather_planes, input, indices, dims), input)
    found = np.take_along_axis(flattened(input, dims), flattened(indices, dims), 1)
    return laid_out(found.reshape(indices.shape), input)


gather_planes.gradient(
    input=lambda grad, indices, dims, input_shape: scatter_planes(grad, indices, tuple(input_shape[-dims:]))
)


@op(dtype=MATCH, batch=FILLED, linear=True, operands=["input"], name="_plane_scatter", samples=None)
def scatter_planes(input, indices: Tensor, shape: tuple):
    """Zeros whose last dimensions have the given shape, with the input added at `indices`, which count within them."""
    if not is_straight(input, indices):
        return laid_out(straightened(scatter_planes, input, indices, shape), input)
    dims, size = len(shape), math.prod(shape)
    lead = input.shape[: input.ndim - dims]
    places = flattened(indices, dims)
    places = places + np.arange(len(places))[:, None] * size
    count = math.prod(lead) * size
    # bincount adds in float64, ten times as fast as np.add.at
    found = np.bincount(places.reshape(-1), flattened(input, dims).reshape(-1), count) if count else np.zeros(0)
    return laid_out(found.astype(input.dtype).reshape(*lead, *shape), input)


scatter_planes.gradient(input=lambda grad, indices, shape: gather_planes(grad, indices, len(shape)))
