"""Quasi-random numbers: Sobol's points, which fill a cube more evenly than random ones."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.numbers.defaults import get_default_dtype
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.core.random.random import Generator
from rushlight.ops.random.sampling import randint

__all__ = ["SobolEngine"]


@functools.cache
def published(dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Primitive polynomials and first numbers of each dimension, as Joe and Kuo chose them; SciPy brings the table."""
    import scipy

    # the file alone: scipy.stats takes a second to import
    path = Path(scipy.__file__).parent / "stats" / "_sobol_direction_numbers.npz"
    with np.load(path) as table:
        return table["poly"][:dimension].astype(np.int64), table["vinit"][:dimension].astype(np.int64)


def directions(dimension: int, bits: int) -> np.ndarray:
    """The numbers whose exclusive sums are the points: `(dimension, bits)`, each a fraction of 2**bits."""
    polynomials, first = published(dimension)
    found = np.zeros((dimension, bits), np.int64)
    found[0] = 1
    for row in range(1, dimension):
        polynomial = int(polynomials[row])
        degree = polynomial.bit_length() - 1
        values = [int(each) for each in first[row][:degree]]
        for place in range(degree, bits):
            new = values[place - degree]
            for step in range(1, degree + 1):
                if polynomial >> (degree - step) & 1:
                    new ^= values[place - step] << step
            values.append(new)
        found[row] = values[:bits]
    return found << np.arange(bits - 1, -1, -1)


def as_numbers(rows: np.ndarray) -> np.ndarray:
    """Rows of bits, the highest first, as numbers."""
    return rows @ (1 << np.arange(rows.shape[-1] - 1, -1, -1, dtype=np.int64))


def mixed(state: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Each direction times a lower triangular matrix of bits, modulo 2: Matousek's scrambling."""
    bits = state.shape[1]
    weights = as_numbers(rows)
    found = np.zeros_like(state)
    for place in range(bits):
        both = weights[:, place, None] & state
        odd = np.zeros_like(both)
        for shift in range(bits):
            odd ^= both >> shift & 1
        found |= odd << (bits - 1 - place)
    return found


class SobolEngine:
    """Draws the points of a Sobol sequence in the unit cube, scrambled if asked for.

    >>> torch.quasirandom.SobolEngine(dimension=2).draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None):
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(
                f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]: {dimension} was asked for"
            )
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        state = directions(dimension, self.MAXBIT)
        shift = np.zeros(dimension, np.int64)
        if scramble:
            shift, state = self._scrambled(state)
        self.sobolstate, self.shift = wrap(state), wrap(shift)
        self.quasi = wrap(shift.copy())
        # in the default dtype, also for draws in another one, as torch has it
        self._first_point = wrap(shift.astype(get_default_dtype().numpy)[None]) * 2.0**-self.MAXBIT
        self.num_generated = 0

    def _scrambled(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A random shift, and the directions mixed by random bits; drawn in torch's order."""
        # without a seed, the stream that everybody draws from
        generator = None if self.seed is None else Generator().manual_seed(self.seed)
        size = (self.dimension, self.MAXBIT)
        shift = randint(2, size, generator=generator).numpy() @ (1 << np.arange(self.MAXBIT, dtype=np.int64))
        rows = np.tril(randint(2, (*size, self.MAXBIT), generator=generator).numpy())
        rows[:, range(self.MAXBIT), range(self.MAXBIT)] = 1
        return shift, mixed(state, rows)

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: dtypes.dtype | None = None) -> Tensor:
        """The next `n` points: `(n, dimension)`."""
        kind = get_default_dtype() if dtype is None else dtypes.checked(dtype)
        points = np.empty((n, self.dimension), np.int64)
        begun = int(self.num_generated == 0)
        if begun and n:
            points[0] = self.quasi._array
        self._go(n - begun, points[begun:])
        scaled = points.astype(kind.numpy) * kind.numpy.type(2.0**-self.MAXBIT)
        if begun and n:
            scaled[0] = self._first_point._array
        self.num_generated += n
        if out is None:
            return wrap(scaled)
        out.resize_(scaled.shape).copy_(wrap(scaled))
        return out

    def _go(self, count: int, points: np.ndarray | None = None) -> None:
        """Move on by some points, and write them down."""
        if count <= 0:
            return
        first = max(self.num_generated - 1, 0)
        numbers = np.arange(first, first + count)
        # the place of the rightmost zero of each number says which direction comes next
        places = np.log2((~numbers & (numbers + 1)).astype(np.float64)).astype(np.int64)
        steps = self.sobolstate._array[:, places].T
        if points is None:
            self.quasi._array[...] ^= np.bitwise_xor.reduce(steps, 0)
            return
        np.bitwise_xor.accumulate(np.concatenate([self.quasi._array[None] ^ steps[:1], steps[1:]]), 0, out=points)
        self.quasi._array[...] = points[-1]

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: dtypes.dtype | None = None) -> Tensor:
        """The next `2**m` points; their number so far must stay a power of two, which keeps them even."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. "
                "If you still want to do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Begin anew."""
        self.quasi._array[...] = self.shift._array
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave out `n` points."""
        self._go(n - int(self.num_generated == 0))
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        shown: list[Any] = [f"dimension={self.dimension}"]
        if self.scramble:
            shown.append("scramble=True")
        if self.seed is not None:
            shown.append(f"seed={self.seed}")
        return f"SobolEngine({', '.join(shown)})"
