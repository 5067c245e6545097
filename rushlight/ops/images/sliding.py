"""Sliding windows: a kernel's view of an image at each of its places, and the way back.

An image is an array (N, C, *sizes), its windows (N, C, *kernel, *places): the columns of a matrix product.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from rushlight.core.memory.capacity import require_room
from rushlight.core.memory.layout import channels_last, channels_last_3d, channels_last_strides, empty_with_strides
from rushlight.ops.machine.dims import plain_size

Extents = tuple[int, ...]


def extents(value: Any, count: int, name: str) -> Extents:
    """An option of a window, one number for each dimension; a single one stands for all."""
    found = plain_size(value)
    if len(found) == 1:
        return found * count
    if len(found) != count:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {count} values to match the convolution "
            f"dimensions, but got {name}={list(found)}"
        )
    return found


def reach(kernel: Extents, dilation: Extents) -> Extents:
    """How far a kernel reaches over an image."""
    return tuple([step * (size - 1) + 1 for size, step in zip(kernel, dilation, strict=True)])


def place_counts(sizes: Extents, kernel: Extents, stride: Extents, padding: Extents, dilation: Extents) -> Extents:
    """How many places of a kernel there are along each dimension of an image; zero or less if it does not fit."""
    return tuple(
        [
            (size + 2 * pad - far) // step + 1
            for size, far, step, pad in zip(sizes, reach(kernel, dilation), stride, padding, strict=True)
        ]
    )


def padded(image: np.ndarray, padding: Extents, after: Extents | None = None, fill: Any = 0) -> np.ndarray:
    """The image with a border before and after it; the same on both sides if `after` is not given."""
    after = padding if after is None else after
    if not any(padding) and not any(after):
        return image
    sizes = image.shape[2:]
    shape = [size + one + two for size, one, two in zip(sizes, padding, after, strict=True)]
    require_room((*image.shape[:2], *shape), image.itemsize)
    found = np.full((*image.shape[:2], *shape), fill, image.dtype)
    found[(..., *[slice(pad, pad + size) for pad, size in zip(padding, sizes, strict=True)])] = image
    return found


def windows(image: np.ndarray, kernel: Extents, stride: Extents, dilation: Extents, places: Extents) -> np.ndarray:
    """What a kernel sees at each place of a padded image, as a view: (N, C, *kernel, *places)."""
    steps = image.strides[2:]
    # of one place or one element there is no next, whatever is asked for
    dilation = tuple([each if size > 1 else 0 for each, size in zip(dilation, kernel, strict=True)])
    stride = tuple([each if count > 1 else 0 for each, count in zip(stride, places, strict=True)])
    return np.lib.stride_tricks.as_strided(
        image,
        (*image.shape[:2], *kernel, *places),
        (
            *image.strides[:2],
            *[step * each for step, each in zip(steps, dilation, strict=True)],
            *[step * each for step, each in zip(steps, stride, strict=True)],
        ),
        writeable=False,
    )


def add_windows(
    seen: np.ndarray, sizes: Extents, kernel: Extents, stride: Extents, padding: Extents, dilation: Extents
) -> np.ndarray:
    """The adjoint of `windows`: each window added to the image of these sizes where it was seen, the border cut off."""
    places = seen.shape[2 + len(kernel) :]
    whole = [size + 2 * pad for size, pad in zip(sizes, padding, strict=True)]
    # a kernel may reach over the end of an image that is larger than its places need
    needed = [
        (count - 1) * step + far for count, step, far in zip(places, stride, reach(kernel, dilation), strict=True)
    ]
    around = (*seen.shape[:2], *map(max, whole, needed))
    require_room(around, seen.itemsize)
    image = np.zeros(around, seen.dtype)
    for offsets in itertools.product(*map(range, kernel)):
        firsts = [offset * step for offset, step in zip(offsets, dilation, strict=True)]
        along = [
            slice(first, first + (count - 1) * step + 1, step)
            for first, count, step in zip(firsts, places, stride, strict=True)
        ]
        if math.prod(places):
            image[(..., *along)] += seen[(slice(None), slice(None), *offsets)]
    inside = [slice(pad, pad + size) for pad, size in zip(padding, sizes, strict=True)]
    return image[(..., *inside)]


def is_channels_last(array: np.ndarray) -> bool:
    """Whether torch takes the strides of an array for channels-last; never those of a contiguous one."""
    if array.ndim not in (4, 5) or not array.size:
        return False
    least = 0
    for dim in (1, *range(array.ndim - 1, 1, -1), 0):
        step = array.strides[dim]
        if step == 0 or step < least or (dim == 0 and step == array.strides[1]):
            return False
        least = step * array.shape[dim]
    return True


def in_layout_of(result: np.ndarray, *inputs: np.ndarray) -> np.ndarray:
    """The result contiguous, or with its channels last if those of an input are: as torch's convolutions lay it out."""
    if any([is_channels_last(each) for each in inputs]) and (result.ndim == 4 or result.dtype == np.float32):
        found = empty_channels_last(result.shape, result.dtype)
        found[...] = result
        return found
    return result if result.flags.c_contiguous else result.copy()


def empty_in_layout_of(shape: Extents, input: np.ndarray) -> np.ndarray:
    """Fresh memory of a shape, with its channels last if those of the input are."""
    if is_channels_last(input):
        return empty_channels_last(shape, input.dtype)
    return np.empty(shape, input.dtype)


def empty_channels_last(shape: Extents, kind: np.dtype) -> np.ndarray:
    form = channels_last if len(shape) == 4 else channels_last_3d
    return empty_with_strides(shape, channels_last_strides(shape, form), kind)
