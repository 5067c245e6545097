"""Health: the course of a training run in numbers, also where nothing is wrong."""

from __future__ import annotations

import math
import sys
import time
import weakref
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.float_warnings import QUIET, floating_point
from rushlight.errors.location import Location, line_number

if TYPE_CHECKING:
    from rushlight.doctor.lives import OptimizerLife

# parameters are measured at the first steps and then at every tenth that is seen
MEASURED_FIRST, MEASURED_LATER = 20, 10
# a curve of more points than this is thinned out
LONGEST_CURVE = 20_000
PHASES = ("before", "data", "forward", "backward", "optimizer")


@dataclass
class Course:
    """How one parameter fared: at which steps, the norm of its gradient, and by how much of its own size it moved."""

    ref: weakref.ref
    steps: list[int] = field(default_factory=list)
    gradients: list[float] = field(default_factory=list)
    updates: list[float] = field(default_factory=list)


class Health:
    """Losses as they come, parameters at some of the steps, and where the time went."""

    def __init__(self) -> None:
        self.losses: list[float] = []
        self.began = time.perf_counter()
        self.phases = dict.fromkeys(PHASES, 0.0)
        self.lines: dict[Location, list] = defaultdict(lambda: [0.0, 0])
        self.mark = self.began
        self.courses: dict[int, Course] = {}
        self.before: dict[int, np.ndarray] = {}

    def note_loss(self, roots: list[Tensor], place: Location | None) -> None:
        """The value of what a backward started from, if it is one number."""
        if len(roots) == 1 and roots[0]._array.size == 1 and roots[0]._array.dtype.kind == "f":
            if len(self.losses) >= LONGEST_CURVE:
                del self.losses[::2]
            self.losses.append(float(roots[0]._array.reshape(())))

    @property
    def is_finite(self) -> bool:
        """Whether the last loss was a number."""
        return not self.losses or math.isfinite(self.losses[-1])

    def passed(self, phase: str) -> None:
        """The time since the last mark was spent on this."""
        now = time.perf_counter()
        # until the first gradient a program sets things up
        self.phases[phase if self.losses else "before"] += now - self.mark
        self.mark = now

    def go_on(self) -> None:
        """What the doctor itself has done since the last mark is no part of the program."""
        self.mark = time.perf_counter()

    def note_line(self, place: Location | None, seconds: float) -> None:
        if place is not None:
            spent = self.lines[place]
            spent[0] += seconds
            spent[1] += 1

    def before_step(self, optimizer: OptimizerLife) -> None:
        """Measure gradients, and keep the weights to see how far they move."""
        self.before.clear()
        if optimizer.steps >= MEASURED_FIRST and optimizer.steps % MEASURED_LATER:
            return
        for each in optimizer.parameters:
            if each._grad is not None and each._array.dtype.kind == "f":
                self.before[id(each)] = each._array.copy()

    def after_step(self, optimizer: OptimizerLife) -> None:
        for each in optimizer.parameters:
            before = self.before.pop(id(each), None)
            if before is None or each._grad is None or before.shape != each._array.shape:
                continue
            course = self.courses.get(id(each))
            if course is None or course.ref() is not each:
                course = self.courses[id(each)] = Course(weakref.ref(each))
            course.steps.append(optimizer.steps)
            course.gradients.append(norm(each._grad._array))
            size = norm(before)
            np.subtract(each._array, before, before)
            course.updates.append(norm(before) / size if size else 0.0)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def slowest_lines(self, count: int = 5) -> list[tuple[Location, float, int]]:
        """The lines whose calls took longest, with seconds and number of calls."""
        lines: dict[tuple, list] = {}
        for place, (seconds, calls) in self.lines.items():
            row = lines.setdefault((place[0].co_filename, line_number(place)), [place, 0.0, 0])
            row[1] += seconds
            row[2] += calls
        return [tuple(row) for row in sorted(lines.values(), key=lambda row: -row[1])[:count]]


def norm(array: np.ndarray) -> float:
    flat = array.reshape(-1)
    if flat.dtype.kind != "f":
        return 0.0
    # a run that explodes is no reason to warn the program
    before = floating_point.set(QUIET)
    try:
        return float(np.sqrt(float(np.dot(flat, flat))))
    finally:
        floating_point.reset(before)


def peak_memory() -> int | None:
    """The most memory that the process has held, in bytes; None where nobody knows."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def summary(watch: Any) -> dict[str, Any]:
    """The verdict as data: losses, parameters with their courses, phases, lines and memory."""
    from rushlight.errors import location

    health: Health = watch.health
    parameters = []
    for course in health.courses.values():
        tensor = course.ref()
        if tensor is not None:
            parameters.append(
                {
                    "name": watch.names.of(tensor),
                    "shape": list(tensor.shape),
                    "steps": course.steps,
                    "gradient": course.gradients,
                    "update": course.updates,
                    "verdict": verdict(course, health),
                }
            )
    return {
        "steps": watch.steps,
        "losses": health.losses,
        "parameters": parameters,
        "phases": {name: round(seconds, 6) for name, seconds in health.phases.items()},
        "lines": [
            {"line": location.file_and_line(place), "seconds": round(seconds, 6), "calls": calls}
            for place, seconds, calls in health.slowest_lines()
        ],
        "seconds": round(health.seconds, 3),
        "memory": peak_memory(),
    }


def verdict(course: Course, health: Health) -> str:
    """One word on a parameter: an update of a thousandth of its size a step is usual."""
    updates = [each for each in course.updates if math.isfinite(each)]
    if len(updates) < len(course.updates):
        return "not finite"
    if not any(course.gradients):
        return "no gradient"
    middle = sorted(updates)[len(updates) // 2]
    if middle < 1e-7:
        return "hardly moves"
    if middle > 0.3:
        return "moves a lot"
    return "learns"
