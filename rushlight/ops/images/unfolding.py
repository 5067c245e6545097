"""Unfolding: the patches of an image as columns, and columns folded back into an image, overlaps added."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.memory.capacity import MOST, require_room
from rushlight.core.memory.strides import packed
from rushlight.ops.images.sliding import Extents, add_windows, padded, place_counts, windows
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.dims import plain_size
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import FOLDED

# a window's options as torch words them: how they are called, what their two numbers are called, and the least
RULES = (
    ("kernel size should be greater than zero", "kernel", 1),
    ("dilation should be greater than zero", "dilation", 1),
    ("padding should be non-negative", "pad", 0),
    ("stride should be greater than zero", "stride", 1),
)


def both(value: Any, name: str) -> Extents:
    """One number for each of the two dimensions of an image."""
    found = plain_size(value)
    if len(found) not in (1, 2):
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(found)}")
    return found * 2 if len(found) == 1 else found


def window_of(kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> list[Extents]:
    """The options of a window, two numbers each."""
    names = ("kernel_size", "dilation", "padding", "stride")
    found = [both(value, name) for value, name in zip((kernel_size, dilation, padding, stride), names, strict=True)]
    for (height, width), (words, name, least) in zip(found, RULES, strict=True):
        if min(height, width) < least:
            raise RuntimeError(f"{words}, but got {name}_height: {height} {name}_width: {width}")
    return found


@op(
    name="nn.functional.unfold",
    dtype=SAME,
    batch=FOLDED,
    linear=True,
    node="Im2ColBackward0",
    samples=cases(
        lambda make: [
            case(make.floats(2, 3, 5, 6), 3),
            case(make.floats(2, 3, 5, 6), (2, 3), 2, 1, (2, 1)),
            case(make.floats(3, 5, 6), (3, 2), padding=(0, 1)),
            case(make.floats(2, 5, 3, 6).swapaxes(1, 2), 2, stride=2),
            case(make.complexes(1, 2, 3, 4), 2),
            case(make.floats(0, 3, 4, 4), 2),
            case(make.bools(1, 2, 3, 4), 2),
            case(make.floats(2, 0, 4, 4), 2),
            case(make.floats(2, 3, 4, 4), 5),
            case(make.floats(2, 3, 4, 4), 0),
            case(make.floats(2, 3, 4, 4), 2, stride=0),
            case(make.floats(2, 3, 4, 4), 2, padding=-1),
            case(make.ints(2, 3, 4, 4), 2),
        ]
    ),
)
def unfold(
    input,
    kernel_size: int | tuple,
    dilation: int | tuple = 1,
    padding: int | tuple = 0,
    stride: int | tuple = 1,
):
    """Each patch of an image as a column: (N, C, H, W) gives (N, C * patch size, places).

    >>> image = torch.arange(9.0).reshape(1, 1, 3, 3)
    >>> F.unfold(image, kernel_size=2)
    tensor([[[0., 1., 3., 4.],
             [1., 2., 4., 5.],
             [3., 4., 6., 7.],
             [4., 5., 7., 8.]]])
    """
    kernel, dilation, padding, stride = window_of(kernel_size, dilation, padding, stride)
    if input.ndim not in (3, 4) or not all(input.shape[-3:]):
        if input.ndim < 3:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}], but got 2)"
            )
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(input.shape)}"
        )
    if input.dtype.kind in "iu":
        raise refuse("im2col_out_cpu", input)
    places = place_counts(input.shape[-2:], kernel, stride, padding, dilation)
    if min(places) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(input.shape[-2:])}, kernel_size={kernel}, dilation={dilation}, "
            f"padding={padding}, calculated shape of the array of sliding blocks as {places}, but its components must "
            "be at least one."
        )
    require_room((*input.shape[:-3], input.shape[-3] * math.prod(kernel), math.prod(places)), input.itemsize)
    images = input if input.ndim == 4 else input[None]
    seen = windows(padded(images, padding), kernel, stride, dilation, places)
    found = seen.reshape(*input.shape[:-3], input.shape[-3] * math.prod(kernel), math.prod(places))
    # patches of one element, or one of the whole image, are still the input's memory
    return found if found.flags.writeable else found.copy()


unfold.gradient(
    input=lambda grad, input_shape, kernel_size, dilation, padding, stride: fold(
        grad, input_shape[-2:], kernel_size, dilation, padding, stride
    )
)


@op(
    name="nn.functional.fold",
    dtype=SAME,
    batch=FOLDED,
    linear=True,
    node="Col2ImBackward0",
    samples=cases(
        lambda make: [
            case(make.floats(2, 27, 12), (5, 6), 3),
            case(make.floats(2, 12, 9), (5, 7), (2, 3), 2, (1, 1), (2, 2)),
            case(make.floats(27, 12), (5, 6), 3),
            case(make.floats(2, 4, 4), 3, 2),
            case(make.complexes(1, 4, 4), 3, 2),
            case(make.floats(0, 4, 4), 3, 2),
            case(make.floats(2, 3, 4, 4), (2, 2), 2),
            case(make.floats(2, 5, 4), (3, 3), 2),
            case(make.floats(2, 4, 5), (3, 3), 2),
            case(make.floats(2, 4, 5), (3, 3), 0),
            case(make.ints(2, 4, 4), 3, 2),
        ]
    ),
)
def fold(
    input,
    output_size: int | tuple,
    kernel_size: int | tuple,
    dilation: int | tuple = 1,
    padding: int | tuple = 0,
    stride: int | tuple = 1,
):
    """Columns put back as patches of an image, overlaps added: (N, C * patch size, places) to (N, C, H, W).

    >>> patches = torch.ones(1, 4, 4)  # the patches of 2 x 2 at four places
    >>> F.fold(patches, output_size=3, kernel_size=2)
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """
    sizes = both(output_size, "output_size")
    kernel, dilation, padding, stride = window_of(kernel_size, dilation, padding, stride)
    if input.ndim not in (2, 3) or not all(input.shape[-2:]):
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    rows, columns = input.shape[-2:]
    if math.prod(kernel) > MOST:
        raise RuntimeError(
            f"Given kernel_width = {kernel[1]} and kernel_height = {kernel[0]} the product of kernel_width and "
            "kernel_height overflowed."
        )
    if rows % math.prod(kernel):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={rows} and kernel_size={kernel}."
        )
    places = place_counts(sizes, kernel, stride, padding, dilation)
    if math.prod(places) != columns or min(places) < 1:
        raise RuntimeError(
            f"Given output_size={sizes}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"stride={stride}, expected size of input's dimension 2 to match the calculated number of sliding blocks "
            f"{places[0]} * {places[1]} = {math.prod(places)}, but got input.size(2)={columns}."
        )
    if input.dtype.kind in "iu":
        raise refuse("col2im_out_cpu", input)
    channels = rows // math.prod(kernel)
    seen = input.reshape(-1 if input.size else 0, channels, *kernel, *places)
    found = add_windows(seen, sizes, kernel, stride, padding, dilation)
    return packed(found.reshape(*input.shape[:-2], channels, *sizes))


fold.gradient(
    input=lambda grad, kernel_size, dilation, padding, stride: unfold(grad, kernel_size, dilation, padding, stride)
)
