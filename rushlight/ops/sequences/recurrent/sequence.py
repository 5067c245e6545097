"""Sequences as a recurrent layer goes through them: rows of each step, and the state before each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from rushlight.core.object.tensor import Tensor

# the input is (T, B, I), or one step (B, I), or packed (rows, I) with the number of rows of each step
Sizes = tuple[int, ...] | None


class Sequence_:
    """The steps of an input in the order in which they are computed, each a slice of its rows."""

    def __init__(self, shape: Sequence[int], sizes: Sizes, backwards: bool):
        if sizes is None:
            sizes = (shape[-2],) * (shape[0] if len(shape) == 3 else 1)
        self.steps = []
        start = 0
        for size in sizes:
            self.steps.append(slice(start, start + size))
            start += size
        self.rows = start
        if backwards:
            self.steps.reverse()

    def before(self, first: np.ndarray, states: np.ndarray) -> np.ndarray:
        """For each row the state before it: that of the same member one step earlier, or its first one."""
        found = np.empty_like(states)
        known = slice(0, 0)
        for step in self.steps:
            size, old = step.stop - step.start, known.stop - known.start
            both = min(size, old)
            found[step.start : step.start + both] = states[known.start : known.start + both]
            found[step.start + both : step.stop] = first[both:size]
            known = step
        return found


def rows_of(array: np.ndarray) -> np.ndarray:
    """An array as a matrix: all but the last dimension are one."""
    return array.reshape(math.prod(array.shape[:-1]), array.shape[-1]) if array.ndim != 2 else array


def sigmoid(array: np.ndarray) -> None:
    """In place."""
    np.negative(array, array)
    np.exp(array, array)
    array += 1
    np.reciprocal(array, array)


def run_steps(
    tensors: Sequence[Tensor], state_count: int, sizes: Sizes, backwards: bool, advance: Callable
) -> tuple[Tensor, ...]:
    """A layer out of plain ops: `advance(inputs, states)` gives the states after one step, the first one visible.

    Returns the visible states of all steps, and the last states.
    """
    from rushlight.ops.shape.joining import cat

    input, first = tensors[0], tensors[1 : 1 + state_count]
    rows = input.reshape(math.prod(input.shape[:-1]), input.shape[-1])
    sequence = Sequence_(input.shape, sizes, backwards)
    states = list(first)
    outputs = {}
    for step in sequence.steps:
        size = step.stop - step.start
        new = advance(rows[step], [each[:size] for each in states])
        outputs[step.start] = new[0]
        states = [one if len(two) == size else cat([one, two[size:]]) for one, two in zip(new, states, strict=True)]
    output = cat([outputs[start] for start in sorted(outputs)])
    return (output.reshape(*input.shape[:-1], output.shape[-1]), *states)
