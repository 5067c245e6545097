"""The fallback: nothing has learned, and no other check knows why."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rushlight.doctor.catalogue import check
from rushlight.doctor.events import BackwardStarting, Finished, Stepping
from rushlight.doctor.finding import WARNING, Finding
from rushlight.doctor.lives import is_nothing
from rushlight.errors.location import Location

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

OFTEN = 3
# a graph of more nodes is not looked through
LARGEST = 2000


@check("nothing-learned", tier=1, severity=WARNING, on=(BackwardStarting, Stepping, Finished))
def nothing_learned(watch: Watch, event: BackwardStarting | Stepping | Finished) -> Iterator[Finding]:
    """The optimizers have stepped, and no parameter of theirs is another than before."""
    memory = watch.memory["nothing-learned"]
    if isinstance(event, BackwardStarting):
        if memory.get("zeros", 0) >= OFTEN - 1 and "looked" not in memory:
            memory["looked"] = True
            follow_gradient(event, memory)
        return
    if isinstance(event, Stepping):
        note_zeros(watch, event, memory)
        return
    stepped = [each for each in watch.lives.optimizers if each.steps]
    if not stepped or any(each.has_changed for each in stepped) or max(each.steps for each in stepped) < OFTEN:
        return
    where = memory.get("where")
    life = max(stepped, key=lambda each: each.steps)
    if where is None:
        why = "every gradient is zero" if memory.get("zeros", 0) >= OFTEN else "no cause was found"
        yield Finding(
            f"{life.steps} steps of this {life.kind} have changed no parameter: {why}.",
            "Look at the path of the loss: `rushlight.explain(loss)`.",
            life.place,
        )
    else:
        name, place = where
        yield Finding(
            f"{life.steps} steps of the {life.kind} have changed no parameter: the gradient becomes zero everywhere in "
            f"`{name}`.",
            "See what this line does to values of this size: a clamp, a saturated or a dead activation passes nothing "
            "on.",
            place,
            related=[("the optimizer", life.place)],
            sure="likely",
        )


def note_zeros(watch: Watch, event: Stepping, memory: dict) -> None:
    """How many steps running had gradients of zeros only."""
    if event.optimizer.has_changed:
        return
    parameters = event.optimizer.parameters
    filled = [each._grad for each in parameters if each._grad is not None]
    memory["zeros"] = memory.get("zeros", 0) + 1 if filled and all(map(is_nothing, filled)) else 0


def follow_gradient(event: BackwardStarting, memory: dict) -> None:
    """Let each node tell whether a gradient arrives and none leaves it; the first one that it happens to is kept."""
    nodes = list(event.backward.nodes())
    if len(nodes) <= LARGEST:
        for node in nodes:
            node.register_hook(
                functools.partial(note, memory, type(node).__name__.removesuffix("Backward0"), node.place)
            )


def note(memory: dict, name: str, place: Location | None, leaving: tuple, arriving: tuple) -> None:
    """A node has run: was it here that the gradient became zero?"""
    came = any(each is not None and each._array.any() for each in arriving)
    went = any(each is not None and each._array.any() for each in leaving)
    if came and not went and "where" not in memory:
        memory["where"] = name, place
