"""Line search: how far to go along a direction, by the strong Wolfe conditions.

The method is algorithms 3.5 and 3.6 of Nocedal and Wright, with the constants and the safeguards of torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rushlight.core.object.tensor import Tensor

# how much of the decrease that the slope promises is enough, and how much of the slope may be left
DECREASE, SLOPE = 1e-4, 0.9
# a bracket within which no element moves more than this is small enough
SMALLEST = 1e-9


class Point(NamedTuple):
    """A place on the line, how far it is, and what was found there.

    `t` and `slope` may be numbers of the parameters' dtype, in whose precision torch computes them, or tensors.
    """

    t: Any
    loss: Any
    grad: Any
    slope: Any


@dataclass
class Search:
    """A search that starts at a point, of which `t` is 0; `longest` is the direction's largest element."""

    start: Point
    evaluate: Callable[[Any], Point]
    longest: Any
    most: int
    decrease: float = DECREASE
    slope: float = SLOPE
    smallest: float = SMALLEST
    evaluations: int = 0

    def run(self, t: Any) -> Point:
        """The point found, from the first guess `t` on."""
        previous, point, tried = self.start, self.try_at(t), 0
        while tried < self.most:
            if self.is_too_high(point) or (tried > 1 and point.loss >= previous.loss):
                return self.zoom([previous, point], tried)
            if self.is_flat(point):
                return point
            if point.slope >= 0:
                return self.zoom([previous, point], tried)
            bounds = point.t + 0.01 * (point.t - previous.t), point.t * 10
            t = lowest_between(previous, point, *bounds)
            previous, point, tried = point, self.try_at(t), tried + 1
        return self.start if self.start.loss <= point.loss else point

    def zoom(self, pair: list[Point], tried: int) -> Point:
        """Make the bracket between two points smaller until the lower one fulfils the conditions."""
        low = lower_of(pair)
        was_near = False
        while tried < self.most and not abs(pair[1].t - pair[0].t) * self.longest < self.smallest:
            left, right = min(pair[0].t, pair[1].t), max(pair[0].t, pair[1].t)
            t = lowest_between(pair[0], pair[1], left, right)
            # twice near an end, or at one: take a tenth from it, so that the bracket shrinks
            margin = 0.1 * (right - left)
            near = min(right - t, t - left) < margin
            if near and (was_near or t >= right or t <= left):
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                near = False
            was_near = near
            point, tried = self.try_at(t), tried + 1
            if self.is_too_high(point) or point.loss >= pair[low].loss:
                pair[1 - low] = point
                low = lower_of(pair)
                continue
            if self.is_flat(point):
                return point
            if point.slope * (pair[1 - low].t - pair[low].t) >= 0:
                pair[1 - low] = pair[low]
            pair[low] = point
        return pair[low]

    def try_at(self, t: Any) -> Point:
        self.evaluations += 1
        return self.evaluate(t)

    def is_too_high(self, point: Point) -> bool:
        return point.loss > self.start.loss + self.decrease * point.t * self.start.slope

    def is_flat(self, point: Point) -> bool:
        return abs(point.slope) <= -self.slope * self.start.slope


def lower_of(pair: list[Point]) -> int:
    return 0 if pair[0].loss <= pair[1].loss else 1


@np.errstate(all="ignore")
def lowest_between(one: Point, other: Point, low: Any, high: Any) -> Any:
    """Where the cubic through two points with their slopes is lowest, within bounds; the middle if it is not."""
    if other.t < one.t:
        one, other = other, one
    bend = one.slope + other.slope - 3 * (one.loss - other.loss) / (one.t - other.t)
    square = bend**2 - one.slope * other.slope
    if not square >= 0:
        return (low + high) / 2.0
    root = square.sqrt() if isinstance(square, Tensor) else np.sqrt(square)
    t = other.t - (other.t - one.t) * ((other.slope + root - bend) / (other.slope - one.slope + 2 * root))
    return min(max(t, low), high)
