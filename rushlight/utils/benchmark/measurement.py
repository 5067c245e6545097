"""Measurements: the times of one statement, and what can be said of them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

UNITS = {1e-9: "ns", 1e-6: "us", 1e-3: "ms", 1.0: "s"}


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time reads well, and its length in seconds."""
    scale = max((each for each in UNITS if t >= each), default=1e-9)
    return UNITS[scale], scale


@dataclass(frozen=True)
class TaskSpec:
    """What is measured: the statement, and the words that set it apart from others."""

    stmt: str
    setup: str = ""
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        return self.stmt if "\n" not in self.stmt else f"stmt:\n  {self.stmt}"


@dataclass(eq=False)
class Measurement:
    """The times of a statement: each of `raw_times` is for `number_per_run` runs."""

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = field(default=None)

    @property
    def times(self) -> list[float]:
        """Seconds of one run, once for each measurement."""
        return [each / self.number_per_run for each in self.raw_times]

    @property
    def median(self) -> float:
        """The seconds of the run in the middle."""
        return statistics.median(self.times)

    @property
    def mean(self) -> float:
        """The average seconds of a run."""
        return statistics.fmean(self.times)

    @property
    def iqr(self) -> float:
        """How far the quarters of the times lie apart."""
        if len(self.times) < 2:
            return 0.0
        first, _, third = statistics.quantiles(self.times, n=4, method="inclusive")
        return third - first

    @property
    def has_warnings(self) -> bool:
        """Whether the times vary so much that something else was going on."""
        return self.iqr / self.median > 0.1

    @property
    def title(self) -> str:
        """What was measured."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """The name of its row in a table."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def __getattr__(self, name: str) -> Any:
        if name in ("stmt", "setup", "label", "sub_label", "description", "env", "num_threads"):
            return getattr(self.task_spec, name)
        raise AttributeError(f"'Measurement' object has no attribute '{name}'")

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Measurements of one task as one, the times together."""
        groups: dict[TaskSpec, list[Measurement]] = {}
        for each in measurements:
            groups.setdefault(each.task_spec, []).append(each)
        return [
            Measurement(1, [time for each in members for time in each.times], task) for task, members in groups.items()
        ]

    def __repr__(self) -> str:
        unit, scale = select_unit(self.median)
        count = len(self.raw_times)
        runs = f"{self.number_per_run} runs{' per measurement' if count > 1 else ' '}"
        lines = [f"<torch.utils.benchmark.utils.common.Measurement object at {id(self):#x}>", self.title]
        lines.append(f"  {'Median: ' if count > 1 else ''}{self.median / scale:.2f} {unit}")
        if count > 3:
            lines.append(f"  IQR:    {self.iqr / scale:.2f} {unit}")
        threads = self.task_spec.num_threads
        lines.append(f"  {count} measurement{'s' * (count > 1)}, {runs}, {threads} thread{'s' * (threads > 1)}")
        if self.has_warnings:
            lines.append(
                f"  WARNING: Interquartile range is {self.iqr / self.median * 100:.1f}% of the median measurement."
            )
            lines.append("           Something else was running on this machine.")
        return "\n".join(lines)
