"""Random arrays: each distribution made from the generator's words in torch's order, number for number.

Every function leaves the generator where torch leaves its own. Results are C-ordered; an array laid out
otherwise is filled through `in_memory_order(target)`.
"""

from __future__ import annotations

import math

import numpy as np

from rushlight.core.memory.layout import empty_like_array
from rushlight.core.numbers.dtypes import from_numpy
from rushlight.core.numbers.limits import (
    DIGITS,
    check_uniform_bounds,
    continuous,
    floating,
    largest_whole_number,
    no_kernel,
    to_dtype,
    whole_numbers,
    within,
)
from rushlight.core.random import streams
from rushlight.core.random.streams import Generator, uniform32, uniform64
from rushlight.core.settings.float_warnings import QUIET, floating_point
from rushlight.native import shortcut

__all__ = [
    "Generator",
    "any_integers",
    "bernoulli",
    "cauchy",
    "default_generator",
    "exponential",
    "geometric",
    "in_memory_order",
    "integers",
    "log_normal",
    "multinomial",
    "normal",
    "permutation",
    "uniform",
]

Shape = tuple[int, ...]

# torch seeds its default generator from the operating system too: an unseeded script differs from run to run.
default_generator = streams.unseeded_generator()


@shortcut
def uniform(
    shape: Shape, dtype: np.dtype, low: float = 0.0, high: float = 1.0, generator: Generator | None = None
) -> np.ndarray:
    """Numbers from `low` up to but not including `high`, all equally likely."""
    dtype = floating(dtype, "check_uniform_bounds")
    plain = low == 0 and high == 1
    if not plain:
        check_uniform_bounds(low, high, dtype)
    draw = uniform64 if dtype.char == "d" else uniform32
    result = draw(generator or default_generator, math.prod(shape), low, high)
    if dtype.char not in "fd":
        result = result.astype(dtype)
    if not plain or dtype.char not in "fd":
        # Rounding can reach `high`, which is not in the range.
        too_high = result == dtype.type(high)
        if too_high.any():
            result[too_high] = low
    return result.reshape(shape)


@shortcut
def normal(
    shape: Shape,
    dtype: np.dtype,
    mean: float = 0.0,
    std: float = 1.0,
    generator: Generator | None = None,
    contiguous: bool = True,
) -> np.ndarray:
    """Numbers from the normal distribution; pass `contiguous=False` for a target that is not C-contiguous.

    torch fills 16 contiguous elements or more in blocks, anything else one by one, with other numbers.
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    dtype = floating(dtype, "normal_kernel_cpu")
    generator, count = generator or default_generator, math.prod(shape)
    if count < 16 or not contiguous:
        numbers = streams.normals_one_by_one(generator, count)
        if mean != 0 or std != 1:
            numbers = to_dtype(numbers * std + mean, dtype)
        return numbers.astype(dtype, copy=False).reshape(shape)
    numbers = streams.normals_in_blocks(generator, count, wide=dtype.char == "d", short=dtype.char in "eE")
    if std != 1:
        numbers *= std
    if mean != 0:
        numbers += mean
    return numbers.astype(dtype, copy=False).reshape(shape)


def log_normal(
    shape: Shape, dtype: np.dtype, mean: float = 1.0, std: float = 2.0, generator: Generator | None = None
) -> np.ndarray:
    """Numbers whose logarithm is normal with this `mean` and `std`."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
    dtype = floating(dtype, "log_normal_cpu")
    numbers = streams.normals_one_by_one(generator or default_generator, math.prod(shape))
    return to_dtype(np.exp(numbers * std + mean), dtype).reshape(shape)


@shortcut
def exponential(shape: Shape, dtype: np.dtype, rate: float = 1.0, generator: Generator | None = None) -> np.ndarray:
    """Waiting times between events that happen `rate` times per unit of time."""
    if not rate > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate}")
    dtype = continuous(dtype, "Exponential")
    numbers = uniform64(generator or default_generator, math.prod(shape))
    np.negative(numbers, numbers)
    np.log1p(numbers, numbers)
    numbers *= -1 / rate
    return to_dtype(numbers, dtype).reshape(shape)


def cauchy(
    shape: Shape, dtype: np.dtype, median: float = 0.0, sigma: float = 1.0, generator: Generator | None = None
) -> np.ndarray:
    """Numbers from the Cauchy distribution, whose tails are so heavy that it has no mean."""
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
    dtype = continuous(dtype, "Cauchy")
    numbers = uniform64(generator or default_generator, math.prod(shape))
    return to_dtype(median + sigma * np.tan(np.pi * (numbers - 0.5)), dtype).reshape(shape)


def geometric(shape: Shape, dtype: np.dtype, p: float, generator: Generator | None = None) -> np.ndarray:
    """How many trials of success probability `p` it takes up to and including the first success."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    dtype = np.dtype(dtype)
    if dtype.kind in "bc":
        raise no_kernel(dtype, "geometric_cpu")
    numbers = uniform64(generator or default_generator, math.prod(shape))
    with np.errstate(divide="ignore"):
        np.log(numbers, numbers)
    numbers /= math.log1p(-p)
    return to_dtype(np.ceil(numbers), dtype).reshape(shape)


@shortcut
def bernoulli(
    p: float | np.ndarray,
    shape: Shape | None = None,
    dtype: np.dtype | None = None,
    generator: Generator | None = None,
) -> np.ndarray:
    """Ones with probability `p`, zeros otherwise; `p` is a number, or an array that broadcasts to `shape`.

    An array of float64 takes float64 uniforms, any other array float32 ones, a number float64 ones.
    """
    generator = generator or default_generator
    if not isinstance(p, np.ndarray):
        if not 0 <= p <= 1:
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
        if dtype is not None and np.dtype(dtype).kind == "c":
            raise no_kernel(np.dtype(dtype), "bernoulli_scalar_cpu_")
        shape = shape or ()
        words = generator.draw64(math.prod(shape))
        words &= streams.LOW_53_BITS
        # u < p, asked of the integer that u is made from: spares the conversion to float.
        return (words < math.ceil(p * 2**53)).astype(dtype).reshape(shape)
    source = floating(p.dtype, "bernoulli_tensor_cpu_p_")
    shape = p.shape if shape is None else shape
    # an expanded array takes no memory: refuse what will not fit before looking through it
    np.empty(shape, source)
    draw = uniform64 if source.char == "d" else uniform32
    if p.size and not (p.min() >= 0 and p.max() <= 1):
        # torch finds a wrong one when it gets there: those before it have been drawn for
        valid = np.broadcast_to((p >= 0) & (p <= 1), shape)
        draw(generator, int(valid.argmin()))
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true: every probability has to be in [0, 1]")
    ones = draw(generator, math.prod(shape)).reshape(shape) < p
    return np.asarray(ones, source if dtype is None else dtype)


@shortcut
def integers(
    low: int, high: int | None, shape: Shape, dtype: np.dtype, generator: Generator | None = None
) -> np.ndarray:
    """Whole numbers from `low` up to but not including `high`, or up to all that `dtype` can hold."""
    dtype, generator, count = np.dtype(dtype), generator or default_generator, math.prod(shape)
    if high is None:
        if low == -(2**63):
            if dtype.char not in "lqfdE":
                raise RuntimeError(f"random_ over all 64 bits handles int64, float32, float64, bfloat16; got {dtype}")
            return whole_numbers(generator.draw64(count), dtype).reshape(shape)
        high = largest_whole_number(dtype) + 1
    low, high = within(dtype, low, high)
    # From 2**28 on one word would favour some numbers visibly, so torch takes two.
    words = generator.draw64(count) if high - low >= 2**28 else generator.draw32(count)
    if high - low < 2**64:
        words %= np.uint64(high - low)
    if low:
        words += np.uint64(low % 2**64)
    return whole_numbers(words, dtype).reshape(shape)


def any_integers(shape: Shape, dtype: np.dtype, generator: Generator | None = None) -> np.ndarray:
    """Whole numbers from 0 to all that `dtype` can hold, as `random_()` without arguments gives them."""
    dtype, generator, count = np.dtype(dtype), generator or default_generator, math.prod(shape)
    if dtype.kind == "c":
        raise no_kernel(dtype, "random_kernel_cpu")
    if dtype.char in "HILQ":
        raise NotImplementedError(f"random_ without bounds is not defined for {dtype.name}")
    words = generator.draw64(count) if dtype.char in "lqd" else generator.draw32(count)
    words %= np.uint64(largest_whole_number(dtype) + 1)
    return whole_numbers(words, dtype).reshape(shape)


@shortcut
def permutation(n: int, dtype: np.dtype | type = np.int64, generator: Generator | None = None) -> np.ndarray:
    """The numbers 0 to n - 1 in random order: each place i in turn is swapped with one from i on."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    dtype, generator = np.dtype(dtype), generator or default_generator
    if dtype.kind in "bc":
        raise no_kernel(dtype, "randperm")
    if dtype.char != "E" and n > largest_whole_number(dtype) + 1:
        raise RuntimeError(f"n cannot be greater than {largest_whole_number(dtype) + 1} for {dtype.name}, got {n}")
    if n < 2:
        return np.arange(n).astype(dtype)
    # torch's own bound: above it one word of 32 bits would be too coarse.
    words = generator.draw32(n - 1) if n < (2**32 - 1) // 20 else generator.draw64(n - 1)
    places = np.arange(n - 1, dtype=np.uint64)
    words %= np.uint64(n) - places
    words += places
    return to_dtype(swapped_in_turn(words.view(np.int64)), dtype)


@shortcut
def multinomial(
    probs: np.ndarray, num_samples: int, replacement: bool = False, generator: Generator | None = None
) -> np.ndarray:
    """Indices drawn from each row of `probs`, whose weights need not sum to one.

    One sample, or several without replacement, are a race: each index arrives after an exponential time, the
    sooner the larger its weight, and the first ones to arrive win.
    """
    check_multinomial(probs, num_samples, replacement)
    generator = generator or default_generator
    if replacement and num_samples > 1:
        return search_cumulative(probs, num_samples, generator)
    if probs.flags.c_contiguous:
        times = exponential(probs.shape, probs.dtype, generator=generator)
    else:
        times = empty_like_array(probs)
        laid_out = in_memory_order(times)
        laid_out[...] = exponential(laid_out.shape, probs.dtype, generator=generator)
    token = floating_point.set(QUIET)
    speeds = probs / times
    floating_point.reset(token)
    if num_samples == 1:
        return speeds.argmax(-1).reshape((*probs.shape[:-1], 1))
    return (-speeds).argsort(-1, kind="stable")[..., :num_samples].copy()


def in_memory_order(target: np.ndarray) -> np.ndarray:
    """A view of `target` with its dimensions reordered by stride: the order in which torch fills a tensor."""
    order = sorted(range(target.ndim), key=lambda dim: -target.strides[dim])
    return target.transpose(order)


def search_cumulative(probs: np.ndarray, num_samples: int, generator: Generator) -> np.ndarray:
    """Indices drawn with replacement: where a uniform number falls in the cumulative sum of each row."""
    weights = probs if probs.dtype.char in "fd" else probs.astype(np.float32)
    cumulative = np.add.accumulate(weights, -1)
    cumulative /= cumulative[..., -1:].copy()
    cumulative[..., -1] = 1
    uniforms = uniform64(generator, math.prod(probs.shape[:-1]) * num_samples)
    if probs.ndim == 1:
        return cumulative.searchsorted(uniforms)
    result = np.empty((len(probs), num_samples), np.int64)
    for row, own_uniforms, own_cumulative in zip(result, uniforms.reshape(result.shape), cumulative, strict=True):
        row[:] = own_cumulative.searchsorted(own_uniforms)
    return result


def swapped_in_turn(partners: np.ndarray) -> np.ndarray:
    """The numbers 0 to n - 1 after each place i in turn was swapped with `partners[i]`, a place from i on."""
    n = len(partners) + 1
    if n < 256:
        order = list(range(n))
        for place, partner in enumerate(partners.tolist()):
            order[place], order[partner] = order[partner], order[place]
        return np.array(order)
    # All at once. What step i leaves at place i is what it found at its partner: that is what the last step
    # before it with the same partner had found at its own place, and put there.
    places = np.arange(n)
    partners = np.append(partners, n - 1)
    found = places.copy()
    moving = (partners != places).nonzero()[0]
    found[partners[moving]] = moving  # the last step wins, and its own find came from a step before it
    while True:
        further = found[found]
        if (further == found).all():
            break
        found = further
    keys = np.sort(partners << 32 | places)
    steps = keys & 0xFFFFFFFF
    partner_in_order = keys >> 32
    repeated = (partner_in_order[1:] == partner_in_order[:-1]).nonzero()[0]
    partners[steps[repeated + 1]] = found[steps[repeated]]
    return partners


def check_multinomial(probs: np.ndarray, num_samples: int, replacement: bool) -> None:
    if probs.dtype.char not in DIGITS:
        kind = from_numpy(probs.dtype).scalar
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {kind}")
    if probs.ndim not in (1, 2):
        raise RuntimeError(f"prob_dist must be 1 or 2 dim, but its shape is {probs.shape}")
    if num_samples <= 0:
        raise RuntimeError(f"cannot sample n_sample <= 0 samples, got {num_samples}")
    if not replacement and num_samples > probs.shape[-1]:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement: "
            f"{num_samples} of {probs.shape[-1]}; pass replacement=True"
        )
    # torch draws several with replacement by another way, which has words of its own
    several = replacement and num_samples > 1
    if probs.shape[-1] == 0 and probs.shape[0] == 0 and probs.ndim == 2:
        return
    if probs.shape[-1] == 0 and not several:
        raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension: there is nothing to sample from")
    if probs.shape[-1] == 0:
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0): there is nothing to sample")
    if not probs.size:
        return
    largest = np.maximum.reduce(probs, -1)
    if not (np.minimum.reduce(probs, None) >= 0 and np.maximum.reduce(largest, None) < math.inf):
        if several:
            shown = "= infinity or NaN" if np.minimum.reduce(probs, None) >= 0 else "< 0"
            raise RuntimeError(f"invalid multinomial distribution (encountering probability entry {shown})")
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not np.minimum.reduce(largest, None) > 0:
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
