"""The timer: a statement run again and again, on one thread unless asked otherwise."""

from __future__ import annotations

import enum
import timeit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter as timer
from typing import Any, NoReturn

from rushlight.core.settings.threads import get_num_threads, set_num_threads
from rushlight.utils.benchmark.measurement import Measurement, TaskSpec


class Language(enum.Enum):
    """What a statement is written in."""

    PYTHON = 0
    CPP = 1


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Some number of threads for the time of a with statement."""
    before = get_num_threads()
    set_num_threads(count)
    try:
        yield
    finally:
        set_num_threads(before)


class Timer:
    """Measures a statement: after a warm-up, on `num_threads` threads.

    >>> from torch.utils.benchmark import Timer
    >>> found = Timer("x.sum()", globals={"x": torch.ones(100)}).timeit(100)
    >>> found.number_per_run, len(found.times)
    (100, 1)
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Language | str = Language.PYTHON,
    ):
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if language not in (Language.PYTHON, "py", "python"):
            raise ValueError(f"Invalid language `{language}`: statements are written in Python here")
        if global_setup:
            raise ValueError(
                f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`."
            )
        import rushlight

        names = {"torch": rushlight, **(globals or {})}
        self._timer = timeit.Timer(stmt=stmt, setup=setup, timer=timer, globals=names)
        self._task_spec = TaskSpec(stmt, setup, "", label, sub_label, description, env, num_threads)

    def timeit(self, number: int = 1000000) -> Measurement:
        """The time of `number` runs."""
        with threads(self._task_spec.num_threads):
            self._timer.timeit(number=max(int(number // 100), 2))
            return Measurement(number, [self._timer.timeit(number=number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> NoReturn:
        """Not there, as in torch: `blocked_autorange` repeats."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Any = None) -> NoReturn:
        """Not there, as in torch: see `blocked_autorange`."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block_size(self, seconds: float) -> int:
        """How many runs take long enough for the clock to be exact."""
        least = max(seconds / 1000, 1e-4)
        count = 1
        while (took := self._timer.timeit(count)) < least:
            count = max(count * 2, min(count * 10, int(count * least / max(took, 1e-9)) + 1))
        return count

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Blocks of runs until `min_run_time` seconds are over."""
        with threads(self._task_spec.num_threads):
            number = self._block_size(min_run_time)
            found = self._blocks(number, lambda times, total: total >= min_run_time, callback)
        return Measurement(number, found, self._task_spec)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:
        """Blocks of runs until the times agree to within `threshold`, or `max_run_time` seconds are over."""

        look_at = 4

        def done(times: list[float], total: float) -> bool:
            nonlocal look_at
            if total >= max_run_time:
                return True
            if len(times) < look_at or total < min_run_time:
                return False
            # to sort all times after each block would take longer than the blocks
            look_at = len(times) + max(len(times) // 10, 1)
            spread = Measurement(1, times, self._task_spec)
            return spread.iqr / spread.median < threshold

        with threads(self._task_spec.num_threads):
            number = self._block_size(min_run_time)
            found = self._blocks(number, done, callback)
        return Measurement(number, found, self._task_spec)

    def _blocks(self, number: int, done: Callable[[list[float], float], bool], callback: Any) -> list[float]:
        times: list[float] = []
        total = 0.0
        while not done(times, total):
            times.append(self._timer.timeit(number))
            total += times[-1]
            if callback is not None:
                callback(number, times[-1])
        return times

    def collect_callgrind(self, number: int = 100, **options: Any) -> NoReturn:
        """Refused: instructions are not counted."""
        raise NotImplementedError(
            "Timer.collect_callgrind is not in Rushlight: instructions are not counted; use timeit"
        )
