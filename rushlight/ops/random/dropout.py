"""Dropout: random elements set to zero while training, the others enlarged to make up for it."""

from __future__ import annotations

import numpy as np

from rushlight.core.memory.layout import empty_like_array
from rushlight.core.memory.meta import Meta, beside
from rushlight.core.numbers.casting import cast
from rushlight.core.numbers.dtypes import from_numpy
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.core.random import random
from rushlight.core.random.random import in_memory_order
from rushlight.core.settings.state import state
from rushlight.errors.explained import RESULT, explained
from rushlight.errors.warning import warn
from rushlight.native import shortcut
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import case, cases


def drops(*shape: int):
    """Samples of a function that drops out of an input of this shape."""
    return cases(
        lambda make: [
            case(make.floats(*shape)),
            case(make.floats(*shape), 0.2, True),
            case(make.floats(*shape, dtype="float64"), 0.7, True),
            case(make.floats(*shape), 0.5, False),
            case(make.floats(*shape), 0.0, True),
            case(make.floats(*shape), 1.0, True),
            case(make.floats(*shape).T, 0.5, True),
            case(make.floats(*[0] * len(shape)), 0.5, True),
            case(make.floats(*shape), 1.5, True),
            case(make.floats(*shape), -0.5, True),
        ]
    )


def check_probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def kept(array: np.ndarray, p: float, features: bool) -> np.ndarray:
    """Ones where an element, or a whole feature of a batch, stays; zeros elsewhere; in torch's order."""
    if type(array) is Meta:
        return empty_like_array(array[(..., *[slice(1)] * (array.ndim - 2))] if features else array)
    if features:
        found = empty_like_array(array[(..., *[slice(1)] * (array.ndim - 2))])
        found[...] = random.bernoulli(1 - p, found.shape, array.dtype)
        return found
    if array.flags.c_contiguous:
        return random.bernoulli(1 - p, array.shape, array.dtype)
    found = empty_like_array(array)
    laid_out = in_memory_order(found)
    laid_out[...] = random.bernoulli(1 - p, laid_out.shape, array.dtype)
    return found


@shortcut
def dropped(input: Tensor, p: float, training: bool, inplace: bool, features: bool = False) -> Tensor:
    """The input with elements or features dropped; itself where there is nothing to do."""
    check_probability(p)
    array = input._array
    if features and array.ndim < 2 and training and p:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    if not training or p == 0 or not array.size:
        return input
    if p == 1:
        noise = wrap(np.zeros((), array.dtype))
    else:
        noise = drawn_noise(input, p, features)
    return input.mul_(noise) if inplace else input * noise


def drawn_noise(input: Tensor, p: float, features: bool) -> Tensor:
    """What the elements are multiplied with."""
    if state.levels:
        from rushlight.ops.machine.transforms.making import drawn

        return drawn(lambda each: noise_for(each._array.view(np.ndarray), p, features), input, features)
    return noise_for(input._array, p, features)


def noise_for(array: np.ndarray, p: float, features: bool) -> Tensor:
    noise = kept(array, p, features)
    require_floating(array)  # after the draw, as in torch: the stream has moved
    if array.dtype == np.float16:
        # rounded once: 0.7 in half precision is not 0.7
        noise *= np.float16(np.float32(1) / np.float32(1 - p))
    else:
        noise /= 1 - p
    return wrap(noise)


def require_floating(array: np.ndarray) -> None:
    if array.dtype.kind not in "fcV":
        name = from_numpy(array.dtype).scalar
        words = f"result type Float can't be cast to the desired output type {name}"
        raise explained(RuntimeError, words, fix="convert the input with .float()", stage=RESULT)


# the value that SELU tends to for very negative numbers, negated
ALPHA = 1.7580993408473766


def alpha_dropped(input: Tensor, p: float, training: bool, inplace: bool, features: bool = False) -> Tensor:
    """Dropout to the value that SELU has at minus infinity, then an affine map that restores mean and variance."""
    check_probability(p)
    array = input._array
    if features and array.ndim < 2 and training and p:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    if not training or p == 0 or not array.size:
        return input
    if p == 1:
        noise = wrap(np.zeros((), array.dtype))
        return input.mul_(noise) if inplace else input * noise
    if state.levels:
        from rushlight.ops.machine.transforms.making import drawn

        stays = drawn(lambda each: wrap(kept(each._array.view(np.ndarray), p, features)), input, features)
        scale = 1 / ((ALPHA * ALPHA * p + 1) * (1 - p)) ** 0.5
        return input * (stays * scale) + ((stays - 1) * (ALPHA * scale) + ALPHA * scale * p)
    noise = kept(array, p, features)
    require_floating(array)
    scale = 1 / ((ALPHA * ALPHA * p + 1) * (1 - p)) ** 0.5
    shift = wrap(beside(array, cast(np.asarray((noise - 1) * (ALPHA * scale) + ALPHA * scale * p), array.dtype)))
    noise = wrap(beside(array, cast(np.asarray(noise * scale), array.dtype)))
    return input.mul_(noise).add_(shift) if inplace else input * noise + shift


@composed(name="nn.functional.dropout", samples=drops(3, 4))
def dropout(input, p=0.5, training=True, inplace=False):
    """Set each element to zero with probability `p` while training, and divide the others by 1 - p.

    >>> _ = torch.manual_seed(0)
    >>> F.dropout(torch.ones(2, 4))
    tensor([[0., 0., 2., 0.],
            [0., 0., 2., 2.]])
    """
    return dropped(input, p, training, inplace)


@composed(name="nn.functional.alpha_dropout", samples=drops(3, 4))
def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps the mean and variance of what SELU gives.

    >>> _ = torch.manual_seed(0)
    >>> F.alpha_dropout(torch.ones(4), training=True)
    tensor([-0.7792, -0.7792,  1.6656, -0.7792])
    """
    return alpha_dropped(input, p, training, inplace)


@composed(name="nn.functional.feature_alpha_dropout", samples=drops(2, 3, 4))
def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """`alpha_dropout` of whole channels.

    >>> _ = torch.manual_seed(0)
    >>> F.feature_alpha_dropout(torch.ones(1, 3, 2), training=True)
    tensor([[[-0.7792, -0.7792],
             [-0.7792, -0.7792],
             [ 1.6656,  1.6656]]])
    """
    return alpha_dropped(input, p, training, inplace, features=True)


@composed(name="nn.functional.dropout1d", samples=drops(2, 3, 4))
def dropout1d(input, p=0.5, training=True, inplace=False):
    """Set whole channels to zero with probability `p` while training: `(N, C, L)` or `(C, L)`.

    >>> _ = torch.manual_seed(0)
    >>> F.dropout1d(torch.ones(1, 3, 2))
    tensor([[[0., 0.],
             [0., 0.],
             [2., 2.]]])
    """
    check_probability(p)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input: it drops channels of inputs with "
            "one spatial dimension; use dropout for others."
        )
    return in_batch(input, p, training, inplace, batched=input.ndim == 3)


@composed(name="nn.functional.dropout2d", samples=drops(2, 3, 4, 2))
def dropout2d(input, p=0.5, training=True, inplace=False):
    """Set whole channels to zero with probability `p` while training: `(N, C, H, W)`.

    >>> _ = torch.manual_seed(0)
    >>> F.dropout2d(torch.ones(4, 3, 8, 8)).amax((2, 3))
    tensor([[0., 0., 2.],
            [0., 0., 0.],
            [2., 2., 0.],
            [2., 2., 2.]])
    """
    check_probability(p)
    check_dims(input, "dropout2d", (3, 4))
    if input.ndim == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. Write dropout1d for that."
        )
    return dropped(input, p, training, inplace, features=True)


@composed(name="nn.functional.dropout3d", samples=drops(2, 3, 2, 2, 2))
def dropout3d(input, p=0.5, training=True, inplace=False):
    """Set whole channels to zero with probability `p` while training: `(N, C, D, H, W)` or `(C, D, H, W)`.

    >>> _ = torch.manual_seed(0)
    >>> F.dropout3d(torch.ones(1, 8, 2, 2, 2), p=0.75).mean((2, 3, 4))
    tensor([[0., 0., 0., 0., 0., 0., 4., 0.]])
    """
    check_probability(p)
    check_dims(input, "dropout3d", (4, 5))
    return in_batch(input, p, training, inplace, batched=input.ndim != 4)


def check_dims(input: Tensor, name: str, expected: tuple[int, int]) -> None:
    if input.ndim not in expected:
        warn(
            f"{name}: Received a {input.ndim}-D input to {name}, which is deprecated and will result in an error in a "
            "future release. To retain the behavior and silence this warning, please use dropout instead."
        )


def in_batch(input: Tensor, p: float, training: bool, inplace: bool, batched: bool) -> Tensor:
    """Channels dropped, of one example as if it were a batch."""
    if batched:
        return dropped(input, p, training, inplace, features=True)
    alone = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    found = dropped(alone, p, training, inplace, features=True)
    return found.squeeze_(0) if inplace else found.squeeze(0)
