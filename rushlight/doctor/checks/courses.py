"""Courses: how the loss of each backward goes, from which some checks take whether a run learns or explodes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rushlight.doctor.events import Backward
    from rushlight.doctor.watch import Watch

# a loss that starts near zero may grow a lot and mean nothing
SMALL = 1e-3
# what counts as learning, between the first and the last third of the losses
FALL = 0.05


def note(watch: Watch, event: Backward) -> None:
    """Keep the value of a loss, by the line of its backward; once, whoever asks."""
    memory = watch.memory["courses"]
    if event.fills and memory.get("last") != event.number and len(event.roots) == 1 and event.roots[0]._array.size == 1:
        memory["last"] = event.number
        memory.setdefault("losses", {}).setdefault(event.place, []).append(
            float(event.roots[0]._array.real.reshape(-1)[0])
        )


def all_courses(watch: Watch) -> list[list[float]]:
    found: dict[Any, list[float]] = watch.memory["courses"].get("losses", {})
    return [course for course in found.values() if len(course) > 1]


def improves(watch: Watch) -> bool:
    """Whether some loss falls, by more than it wavers: a last layer alone may gain a few hundredths."""
    for course in all_courses(watch):
        size = max(1, len(course) // 3)
        first, last = course[:size], course[-size:]
        fall = sum(first) / size - sum(last) / size
        if fall > max(FALL * abs(sum(first) / size), 0.5 * max(spread(first), spread(last))):
            return True
    return False


def spread(values: list[float]) -> float:
    middle = sum(values) / len(values)
    return math.sqrt(sum((each - middle) ** 2 for each in values) / len(values))


def growth(course: list[float], running: int) -> float:
    """By which factor the last losses, all of them, are larger than the first one; those that are no numbers aside."""
    last = [abs(each) for each in course[-8:] if math.isfinite(each)][-running:]
    return min(last) / max(abs(course[0]), SMALL) if len(last) == running < len(course) else 0.0
