"""Places: coordinates from -1 to 1 as elements of an image and their weights, and reads and writes there."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from rushlight.ops.images.resampling.weights import cubic_weights

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)


def taken(input: np.ndarray, grid: np.ndarray, mode: int, padding: int, align: bool, orders: tuple) -> np.ndarray:
    """The sums of the elements around each place, weighted."""
    batch, channels = input.shape[:2]
    rows = input.reshape(batch, channels, math.prod(input.shape[2:]))
    count = math.prod(grid.shape[1:-1])
    found = np.zeros((batch, channels, count), input.dtype)
    for places, weights in elements(grid, input.shape[2:], mode, padding, align, orders):
        values = np.take_along_axis(rows, places.reshape(batch, 1, count), 2)
        values *= weights.reshape(batch, 1, count)
        # outside an image of zeros, infinities in it do not count
        np.copyto(values, 0, where=(weights == 0).reshape(batch, 1, count) & ~np.isfinite(values))
        found += values
    return found.reshape(batch, channels, *grid.shape[1:-1])


def scattered(
    grad: np.ndarray, grid: np.ndarray, shape: tuple, mode: int, padding: int, align: bool, orders: tuple
) -> np.ndarray:
    """The adjoint of `taken`: each value, weighted, added to the elements around its place."""
    batch, channels = shape[:2]
    size, count = math.prod(shape[2:]), math.prod(grid.shape[1:-1])
    values = grad.reshape(batch, channels, count)
    starts = np.arange(batch * channels).reshape(batch, channels, 1) * size
    found = np.zeros(batch * channels * size)
    for places, weights in elements(grid, shape[2:], mode, padding, align, orders):
        where = (starts + places.reshape(batch, 1, count)).reshape(-1)
        shares = values * weights.reshape(batch, 1, count)
        if where.size:
            found += np.bincount(where, shares.reshape(-1), found.size)
    return found.astype(grad.dtype).reshape(shape)


def elements(
    grid: np.ndarray, sizes: tuple, mode: int, padding: int, align: bool, orders: tuple
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The elements around each place, counted within the image, with their weights: one of each after the other."""
    lines = []
    for dim, size in enumerate(sizes):
        # the grid counts the last dimension first
        coordinate = grid[..., len(sizes) - 1 - dim]
        lines.append(line(coordinate, size, mode, padding, align, orders[dim]))
    for chosen in itertools.product(*lines):
        place, weight = 0, 1
        for (where, share), size in zip(chosen, sizes, strict=True):
            place = place * size + where
            weight = weight * share
        yield place, weight


def line(
    coordinate: np.ndarray, size: int, mode: int, padding: int, align: bool, order: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The elements along one dimension and their weights, or derivatives of these by the coordinate."""
    kind = coordinate.dtype.type
    slope = (size - 1) / 2 if align else size / 2
    place = (coordinate + 1) * kind(slope) if align else ((coordinate + 1) * kind(size) - 1) / 2
    steep = np.full(place.shape, slope**order, place.dtype)
    if mode != BICUBIC:
        place, factor = inside(place, size, padding, align)
        if order:
            steep = steep * factor**order
    if mode == NEAREST:
        return [held(np.rint(place), steep * (order == 0), size, ZEROS, align)]
    left = np.floor(place)
    share = place - left
    if mode == BILINEAR:
        weights = ([1 - share, share], [-1, 1], [0, 0])[min(order, 2)]
        return [held(left + step, weight * steep, size, ZEROS, align) for step, weight in enumerate(weights)]
    weights = cubic_weights(share, -0.75, order)
    return [held(left + step - 1, weights[..., step] * steep, size, padding, align) for step in range(4)]


def held(place: np.ndarray, weight: np.ndarray, size: int, padding: int, align: bool) -> tuple[np.ndarray, np.ndarray]:
    """A place that is an element, with its weight; one that is outside still has the weight zero."""
    if padding != ZEROS:
        place = inside(place, size, padding, align)[0]
    outside = ~((place >= 0) & (place < size))
    place = np.where(outside, 0, place).astype(np.int64)
    return place, np.where(outside, 0, weight).astype(weight.dtype)


def inside(place: np.ndarray, size: int, padding: int, align: bool) -> tuple[np.ndarray, np.ndarray]:
    """The place that the padding has in the stead of one outside, and how that moves when the place does."""
    factor = np.ones(place.shape, place.dtype)
    if padding == ZEROS:
        return place, factor
    if padding == REFLECTION:
        place, factor = reflected(place, size, align)
    # at the border itself, nothing moves
    factor = np.where((place <= 0) | (place >= size - 1) | (place != place), 0, factor).astype(place.dtype)
    place = np.where(place == place, np.clip(place, 0, size - 1), 0)
    return place.astype(factor.dtype), factor


def reflected(place: np.ndarray, size: int, align: bool) -> tuple[np.ndarray, np.ndarray]:
    """A place outside, mirrored in: at the middles of the outermost elements, or at their edges."""
    low, width = (0, size - 1) if align else (-0.5, size)
    if width == 0:
        return np.zeros_like(place), np.zeros_like(place)
    offset = place - place.dtype.type(low)
    away = np.abs(offset)
    flips = np.floor(away / width)
    rest = np.fmod(away, place.dtype.type(width))
    even = flips % 2 == 0
    found = np.where(even, rest + low, width - rest + low).astype(place.dtype)
    return found, (np.where(even, 1, -1) * np.where(offset < 0, -1, 1)).astype(place.dtype)
