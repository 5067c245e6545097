"""Rejection: gamma, Dirichlet, Poisson and binomial numbers, each from as many uniforms as it takes to accept one.

They come one after the other, since nobody knows where in the stream the next one starts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import length_hint

import numpy as np

from rushlight.core.numbers.limits import to_dtype
from rushlight.core.random.random import default_generator
from rushlight.core.random.streams import Generator, uniform64
from rushlight.native import shortcut

MOST_AHEAD = 8192
# torch takes the third of the method in float32
THIRD = float(np.float32(1 / 3))


class Ahead:
    """Uniform and normal numbers of a generator, read ahead; it stands right behind the last one used in the end.

    with Ahead(generator, 100) as ahead: ...  # about 100 numbers will be needed
    """

    __slots__ = ("before", "draw", "generator", "kept", "numbers", "step")

    def __init__(self, generator: Generator | None, likely: int) -> None:
        self.generator = generator or default_generator
        self.step = max(4, min(likely, MOST_AHEAD))
        self.numbers: Iterator[float] = iter(())
        self.kept: float | None = None
        self.draw = self.read().__next__

    def read(self) -> Iterator[float]:
        """The uniforms, portion by portion; the state before a portion allows to return into it."""
        while True:
            self.before = self.generator._state()
            self.numbers = iter(uniform64(self.generator, self.step).tolist())
            yield from self.numbers

    def normal(self) -> float:
        """A normal number; every other one was kept from the pair of the one before."""
        if self.kept is not None:
            kept, self.kept = self.kept, None
            return kept
        angle = 2 * math.pi * self.draw()
        radius = math.sqrt(-2 * math.log1p(-self.draw()))
        self.kept = radius * math.sin(angle)
        return radius * math.cos(angle)

    def __enter__(self) -> Ahead:
        self.generator.lock.acquire()
        self.kept = self.generator.kept_normal
        return self

    def __exit__(self, *error: object) -> None:
        unused = length_hint(self.numbers)
        if unused:
            self.generator._set_state(*self.before)
            self.generator.draw64(self.step - unused)
        self.generator.kept_normal = self.kept
        self.generator.lock.release()


@shortcut
def gamma(alpha: np.ndarray, generator: Generator | None = None) -> np.ndarray:
    """A number from the gamma distribution of rate 1 for each shape parameter in `alpha`, never quite 0."""
    if not alpha.flags.c_contiguous:  # such as an expanded parameter, which native code declines
        return gamma(alpha.copy(), generator)
    with Ahead(generator, 3 * alpha.size) as ahead:
        found = [one_gamma(each, ahead) for each in alpha.ravel().tolist()]
    numbers = to_dtype(np.array(found, np.float64), alpha.dtype)
    return np.maximum(numbers, np.finfo(alpha.dtype).tiny).reshape(alpha.shape)


def one_gamma(alpha: float, ahead: Ahead) -> float:
    """Marsaglia and Tsang, A simple method for generating gamma variables (2000)."""
    # what is no number takes its draws as others do
    if alpha <= 0:
        return alpha if alpha == 0 else math.nan
    scale = 1.0
    if alpha < 1:
        # a number of parameter alpha + 1, made smaller
        scale = (1 - ahead.draw()) ** (1 / alpha)
        alpha += 1
    d = alpha - THIRD
    c = 1 / math.sqrt(9 * d)
    while True:
        x = ahead.normal()
        root = 1 + c * x
        if root <= 0:
            continue
        v = root * root * root
        u = 1 - ahead.draw()
        square = x * x
        if u < 1 - 0.0331 * square * square or math.log(u) < 0.5 * square + d * (1 - v + math.log(v)):
            return scale * d * v


def dirichlet(alpha: np.ndarray, generator: Generator | None = None) -> np.ndarray:
    """Positive numbers that sum to 1 along the last dim: gamma numbers divided by their sum."""
    numbers = gamma(alpha.astype(np.float64), generator)
    total = np.add.reduce(numbers, -1, keepdims=True) if alpha.ndim else numbers
    # of an infinite whole torch gives every part the least share
    shares = to_dtype(np.where(np.isinf(total), 0, numbers / total), alpha.dtype)
    limits = np.finfo(alpha.dtype)
    return np.clip(shares, limits.tiny, 1 - limits.epsneg)


@shortcut
def poisson(rate: np.ndarray, generator: Generator | None = None) -> np.ndarray:
    """How many events happen in a unit of time for each `rate`."""
    if not rate.flags.c_contiguous:
        return poisson(rate.copy(), generator)
    with Ahead(generator, 3 * rate.size) as ahead:
        found = [one_poisson(each, ahead) for each in rate.ravel().tolist()]
    return to_dtype(np.array(found, np.float64), rate.dtype).reshape(rate.shape)


def one_poisson(rate: float, ahead: Ahead) -> float:
    """Knuth's product of uniforms for small rates, Hörmann's transformed rejection (PTRS, 1993) from 10 on."""
    if rate >= 10:
        found = transformed_poisson(rate, ahead)
        return rate if rate == math.inf else found  # as many numbers are used as in torch
    if rate == 0:
        return 0
    if not rate > 0:
        # as in torch, after what comes before it was drawn
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    draw, least = ahead.draw, math.exp(-rate)
    product, count = draw(), 0
    while product > least:
        product *= draw()
        count += 1
    return count


def transformed_poisson(rate: float, ahead: Ahead) -> float:
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    certain = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = ahead.draw() - 0.5, ahead.draw()
        edge = 0.5 - abs(u)
        if not edge:
            continue
        k = (2 * a / edge + b) * u + rate + 0.43
        k = math.floor(k) if math.isfinite(k) else k
        if edge >= 0.07 and v <= certain:
            return k
        if k < 0 or (edge < 0.013 and v > edge):
            continue
        height = 1.1239 + 1.1328 / (b - 3.4)
        bound = k * math.log(rate) - rate - math.lgamma(k + 1)
        if not v or math.log(v) + math.log(height) - math.log(a / (edge * edge) + b) <= bound:
            return k


@shortcut
def binomial(count: np.ndarray, prob: np.ndarray, generator: Generator | None = None) -> np.ndarray:
    """How many of `count` trials succeed, each with probability `prob`; arrays of one dtype that broadcast."""
    count, prob = np.broadcast_arrays(count, prob)
    narrow = count.dtype.type
    # torch takes these in the dtype of the arguments, all that follows in float64
    rare = np.where(prob > 0.5, 1 - prob, prob)
    mean = count * rare
    deviation = np.sqrt(mean * (1 - rare))
    columns = [each.ravel().tolist() for each in (count, prob, rare, mean, deviation)]
    with Ahead(generator, 3 * count.size) as ahead:
        found = [one_binomial(row, narrow, ahead) for row in zip(*columns, strict=True)]
    return np.array(found, count.dtype).reshape(count.shape)


def one_binomial(row: tuple[float, ...], narrow: type, ahead: Ahead) -> float:
    """The rarer of success and failure is counted, by one of the two functions below."""
    n, p, rare, mean, deviation = row
    if n <= 0 or p <= 0:
        return 0
    if p >= 1 or n == math.inf:
        return n
    if n != n or p != p:
        return math.nan
    found = transformed_binomial(n, rare, mean, deviation, narrow, ahead) if mean >= 10 else waits(n, rare, ahead)
    return n - found if p > 0.5 else found


def waits(n: float, p: float, ahead: Ahead) -> int:
    """Successes among `n` trials, where there are few: the waiting times between them are geometric."""
    slope, trials, successes = math.log1p(-p), 0, 0
    while True:
        u = ahead.draw()
        wait = math.log(u) / slope if u else math.inf
        if wait > n:
            return successes
        trials += math.ceil(wait)
        if trials > n:
            return successes
        successes += 1


def transformed_binomial(n: float, p: float, mean: float, deviation: float, narrow: type, ahead: Ahead) -> float:
    """Hörmann's transformed rejection (BTRS), The generation of binomial random variates (1993)."""
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    middle, certain = mean + 0.5, 0.92 - 4.2 / b
    while True:
        u, v = ahead.draw() - 0.5, ahead.draw()
        edge = 0.5 - abs(u)
        if not edge:
            continue
        k = float(narrow(math.floor((2 * a / edge + b) * u + middle)))
        if edge >= 0.07 and v <= certain:
            return k
        if not 0 <= k <= n:
            continue
        v *= (2.83 + 5.1 / b) * deviation / (a / (edge * edge) + b)
        if not v or math.log(v) <= log_ratio_to_mode(n, narrow(p), k, narrow):
            return k


def log_ratio_to_mode(n: float, p: np.floating, k: float, narrow: type) -> float:
    """The logarithm of how much less likely k successes are than the likeliest number of them."""
    mode = float(np.floor(narrow(n + 1) * p))
    odds = float(p / (narrow(1) - p))
    # with n and k of float32 torch subtracts in float32, which tells beyond 2**24
    failures = float(narrow(n - k) + narrow(1))
    return (
        (mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
        + float(narrow(n + 1)) * math.log((n - mode + 1) / failures)
        + (k + 0.5) * math.log(odds * failures / float(narrow(k + 1)))
        + (stirling_rest(mode) + stirling_rest(n - mode) - stirling_rest(k) - stirling_rest(n - k))
    )


def stirling_rest(k: float) -> float:
    """What Stirling's formula lacks of the logarithm of k!."""
    if k < 10:
        return math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
