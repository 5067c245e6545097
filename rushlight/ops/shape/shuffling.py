"""Shuffling: channels traded for pixels and back, and channels of several groups mixed."""

from __future__ import annotations

import numpy as np

from rushlight.core.memory.capacity import MOST
from rushlight.native import extension
from rushlight.ops.images.sliding import empty_in_layout_of, is_channels_last
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.layouts import FORMAT
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import FOLDED, PLAIN


def check_shuffle(name: str, ndim: int, option: str, factor: int) -> None:
    if ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {ndim} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {option}, but got {factor}")


def regrouped(split, order, shape, input):
    """A copy with the dims of `split` in another order, in a shape that goes on from there, laid out as torch does."""
    turned = split.transpose(order)
    if not input.flags.c_contiguous and is_channels_last(input):
        return in_layout(turned.reshape(shape), input)
    found = np.empty(turned.shape, turned.dtype)
    if extension is None or not extension.write_converted(found, turned):
        found[...] = turned
    return found.reshape(shape)


def in_layout(found, input):
    """The result laid out as torch does: contiguous, or its channels last if the input's are."""
    if found.flags.c_contiguous and not is_channels_last(input) and not np.may_share_memory(found, input):
        return found
    made = empty_in_layout_of(found.shape, input)
    made[...] = found
    return made


@op(
    dtype=SAME,
    batch=PLAIN,
    linear=True,
    layout=FORMAT,
    aliases=["nn.functional.pixel_shuffle"],
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(2, 8, 3, 4), 2),
            case(make.floats(9, 2, 3), 3),
            case(make.floats(2, 2, 4, 1, 3), 2),
            case(make.floats(2, 3, 4, 8).transpose(0, 3, 1, 2), 2),
            case(make.ints(4, 2, 3), 2),
            case(make.floats(0, 4, 2, 3), 2),
            case(make.floats(2, 7, 3, 4), 2),
            case(make.floats(2, 8, 3, 4), 0),
            case(make.floats(8, 3), 2),
        ]
    ),
)
def pixel_shuffle(input, upscale_factor: int):
    """Channels turned into pixels: (*, C r^2, H, W) gives (*, C, H r, W r).

    >>> torch.pixel_shuffle(torch.tensor([1, 2, 3, 4]).reshape(4, 1, 1), 2)
    tensor([[[1, 2],
             [3, 4]]])
    """
    factor = upscale_factor
    check_shuffle("pixel_shuffle", input.ndim, "upscale_factor", factor)
    if factor**2 > MOST:
        raise ValueError(f"upscale factor is too large, (upscale_factor)^2 overflowed: upscale_factor={factor}")
    *batch, channels, height, width = input.shape
    if channels % factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={channels} is not divisible by {factor**2}"
        )
    split = input.reshape(*batch, channels // factor**2, factor, factor, height, width)
    first = len(batch)
    order = (*range(first + 1), first + 3, first + 1, first + 4, first + 2)
    return regrouped(split, order, (*batch, channels // factor**2, height * factor, width * factor), input)


pixel_shuffle.gradient(
    input=lambda grad, upscale_factor, input_shape: (
        pixel_unshuffle(grad, upscale_factor) if grad.numel() else grad.reshape(input_shape)
    )
)


@op(
    dtype=SAME,
    batch=PLAIN,
    linear=True,
    layout=FORMAT,
    aliases=["nn.functional.pixel_unshuffle"],
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(2, 2, 4, 6), 2),
            case(make.floats(1, 6, 3), 3),
            case(make.floats(2, 4, 6, 3).transpose(0, 3, 1, 2), 2),
            case(make.floats(2, 2, 5, 6), 2),
            case(make.floats(2, 2, 4, 5), 2),
            case(make.floats(2, 2, 4, 6), -1),
            case(make.floats(4, 6), 2),
        ]
    ),
)
def pixel_unshuffle(input, downscale_factor: int):
    """Pixels turned into channels, the inverse of `pixel_shuffle`: (*, C, H r, W r) gives (*, C r^2, H, W).

    >>> torch.pixel_unshuffle(torch.tensor([[[1, 2], [3, 4]]]), 2).flatten()
    tensor([1, 2, 3, 4])
    """
    factor = downscale_factor
    check_shuffle("pixel_unshuffle", input.ndim, "downscale_factor", factor)
    *batch, channels, height, width = input.shape
    for name, place, size in (("height", -2, height), ("width", -1, width)):
        if size % factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({place})={size} "
                f"is not divisible by {factor}"
            )
    if not input.size:
        # torch's answer: as it came
        return input.copy()
    split = input.reshape(*batch, channels, height // factor, factor, width // factor, factor)
    first = len(batch)
    order = (*range(first + 1), first + 2, first + 4, first + 1, first + 3)
    return regrouped(split, order, (*batch, channels * factor**2, height // factor, width // factor), input)


pixel_unshuffle.gradient(
    input=lambda grad, downscale_factor: pixel_shuffle(grad, downscale_factor) if grad.numel() else grad
)


@op(
    dtype=SAME,
    batch=FOLDED,
    linear=True,
    layout=FORMAT,
    aliases=["nn.functional.channel_shuffle"],
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(2, 6, 3, 4), 2),
            case(make.floats(1, 6, 2), 3),
            case(make.floats(2, 3, 4, 8).transpose(0, 3, 1, 2), 2),
            case(make.floats(0, 4, 2, 3), 2),
            case(make.floats(2, 6, 3, 4), 4),
            case(make.floats(2, 6, 3, 4), 0),
            case(make.floats(2, 6), 2),
        ]
    ),
)
def channel_shuffle(input, groups: int):
    """The channels of all groups in turn: the first of each, then the second of each, and so on.

    >>> channels = torch.arange(6).reshape(1, 6, 1, 1)
    >>> F.channel_shuffle(channels, 2).flatten()
    tensor([0, 3, 1, 4, 2, 5])
    """
    if input.ndim < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    batch, channels, *sizes = input.shape
    if channels % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )
    split = input.reshape(batch, groups, channels // groups, *sizes)
    return regrouped(split, (0, 2, 1, *range(3, split.ndim)), input.shape, input)


channel_shuffle.gradient(
    # groups of the other size bring the channels back
    input=lambda grad, groups: channel_shuffle(grad, grad.shape[1] // groups) if grad.numel() else grad
)


@composed(
    method=False,
    samples=cases(lambda make: [case(make.floats(2, 6, 3, 4), 2), case(make.floats(2, 6, 3, 4), 5)]),
)
def native_channel_shuffle(input, groups: int):
    """`channel_shuffle`, under the name of its inside.

    >>> torch.native_channel_shuffle(torch.arange(4.0).reshape(1, 4, 1, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    return channel_shuffle(input, groups)
