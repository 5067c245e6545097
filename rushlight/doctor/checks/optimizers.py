"""Optimizer wiring: what an optimizer holds, when it steps, and at which rate."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.doctor import sources
from rushlight.doctor.catalogue import check
from rushlight.doctor.events import (
    Backward,
    Call,
    Cleared,
    Clipped,
    Finished,
    GradientRead,
    Loaded,
    OptimizerMade,
    Scheduled,
    Stepping,
)
from rushlight.doctor.finding import ERROR, WARNING, Finding
from rushlight.doctor.lives import CLEAN, USED, OptimizerLife, differs, is_nothing
from rushlight.doctor.places import line_of, on_line
from rushlight.errors.location import Location

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

# an optimizer that is told about at the end must have had this many chances
OFTEN = 3
# methods that remember nothing from step to step, or make many steps in one
FORGETFUL = {"LBFGS"}


@check("optim-never-stepped", tier=1, severity=ERROR, on=(Backward, Finished))
def optim_never_stepped(watch: Watch, event: Backward | Finished) -> Iterator[Finding]:
    """Backward fills the gradients of an optimizer whose step() is never called."""
    for life in watch.lives.optimizers:
        if life.steps or life.has_changed or not life.reached:
            continue
        if isinstance(event, Backward):
            notice_movement(watch, life)
        elif life.reached >= chances(watch) and not any(differs(*each) for each in life.first_values or ()):
            forgotten = [] if life.place is None else sources.lines_without_call(life.place[0].co_filename, "step")
            place, fix = life.place, "Call `optimizer.step()` after `loss.backward()`."
            if forgotten and life.place is not None:
                place = sources.place_of_line(life.place[0].co_filename, forgotten[0], life.place)
                fix = "Put parentheses after it: `optimizer.step()`."
            yield Finding(
                f"backward() filled the gradients of this {life.kind} {life.reached} times, and its step() was never "
                "called.",
                fix,
                place,
                related=[] if place is life.place else [("the optimizer", life.place)],
            )


def chances(watch: Watch) -> int:
    """A run that was ended early may not have come to an optimizer's turn."""
    return OFTEN if watch.limit is None or watch.steps < watch.limit else 10 * OFTEN


def notice_movement(watch: Watch, life: OptimizerLife) -> None:
    """Parameters that something else moves need no step."""
    if life.first_values is None:
        watch.lives.before_step(life)
    elif life.reached <= 2 * OFTEN:
        moved = any(watch.lives.of_parameter(each).moved for each in life.parameters)
        if moved or any(differs(*each) for each in life.first_values):
            life.first_values, life.has_changed = None, True


@check("optim-step-no-grad", tier=1, severity=ERROR, on=(Cleared, Stepping), wait=3)
def optim_step_no_grad(watch: Watch, event: Cleared | Stepping) -> Iterator[Finding]:
    """The gradients are cleared between backward() and step(), so that the step moves nothing."""
    memory = watch.memory["optim-step-no-grad"]
    if isinstance(event, Cleared):
        memory["number"] = watch.trace.current[-1].number if watch.trace.current else 0
        return
    life = event.optimizer
    parameters = life.parameters
    lives = [watch.lives.of_parameter(each) for each in parameters]
    if not event.backwards or any(each.gradient != CLEAN for each in lives):
        return
    cleared = next((each.cleared_at for each in lives if each.cleared_at is not None), None)
    if cleared is None or not all(is_nothing(each._grad) for each in parameters):
        return
    backward = event.backwards[-1].place
    computed = any(each.live for each in watch.trace.current if each.number > memory.get("number", 0))
    if computed:
        # the loss of this round is there already, and its backward comes after the step
        yield Finding(
            f"step() comes before backward(){on_line(backward)}: zero_grad(){on_line(cleared)} has just cleared the "
            "gradients, and nothing moves.",
            "Order: `optimizer.zero_grad(); loss.backward(); optimizer.step()`.",
            event.place,
            watch.names.all(parameters),
            related=[("backward", backward), ("zero_grad", cleared)],
        )
    else:
        yield Finding(
            f"The gradients that backward(){on_line(backward)} made are cleared here before step()"
            f"{on_line(event.place)} uses them: nothing moves.",
            "Order: `optimizer.zero_grad(); loss.backward(); optimizer.step()`.",
            cleared,
            watch.names.all(parameters),
            related=[("backward", backward), ("step", event.place)],
        )


class Predecessor:
    """The optimizer that was made last at a line."""

    def __init__(self, life: OptimizerLife):
        self.life = life
        self.parameters = [weakref.ref(each) for each in life.parameters]
        # how many before it made one step each, for the same parameters
        self.row = 0

    def has_same(self, life: OptimizerLife) -> bool:
        now = life.parameters
        return len(now) == len(self.parameters) and all(a() is b for a, b in zip(self.parameters, now, strict=True))


def remembers(optimizer: Any) -> bool:
    """Whether a method keeps something from step to step that a new one lacks."""
    kind, options = type(optimizer).__name__, getattr(optimizer, "defaults", {})
    if kind == "SGD":
        return bool(options.get("momentum"))
    return kind not in FORGETFUL


@check("optim-rebuilt", tier=1, severity=WARNING, on=(OptimizerMade, Loaded))
def optim_rebuilt(watch: Watch, event: OptimizerMade | Loaded) -> Iterator[Finding]:
    """A new optimizer is made for every step, so that its moments are lost."""
    memory = watch.memory["optim-rebuilt"]
    if isinstance(event, Loaded):
        # what goes on from a state has lost nothing
        for each in memory.values():
            if each.life.ref() is event.target:
                each.row = -math.inf
        return
    life = event.optimizer
    if life.place is None or not remembers(life.ref()):
        return
    key = line_of(life.place)
    before, memory[key] = memory.get(key), Predecessor(life)
    if before is None or before.life.steps != 1 or not before.has_same(life):
        return
    memory[key].row = row = before.row + 1
    if row >= OFTEN:
        yield Finding(
            f"{life.kind} is made anew for every step: {row + 1} of them at this line, each with one step. What it "
            "remembers (moments, momentum) is lost each time.",
            "Make it once, before the loop.",
            life.place,
            watch.names.all(life.parameters),
        )


class Schedule:
    """Where the learning rate of an optimizer is scheduled."""

    def __init__(self) -> None:
        self.made: Location | None = None
        self.stepped: Location | None = None
        self.steps = 0
        self.kind = ""


@check("lr-vanished", tier=1, severity=ERROR, on=(Scheduled, Finished))
def lr_vanished(watch: Watch, event: Scheduled | Finished) -> Iterator[Finding]:
    """The learning rate is nothing for more than a quarter of the steps."""
    memory = watch.memory["lr-vanished"]
    if isinstance(event, Scheduled):
        note_schedule(watch, memory, event)
        return
    for life in watch.lives.optimizers:
        rates = life.rates
        if rates.longest < OFTEN or rates.longest <= life.steps / 4:
            continue
        schedule = memory.get(id(life))
        if rates.largest == 0 and schedule is None:
            words = f"The learning rate of this {life.kind} is 0: its {life.steps} steps move nothing."
            fix = "Give `lr` a positive number; whole numbers divide to 0 with `//`."
        else:
            words = (
                f"The learning rate is {rates.lowest:.3g} for {rates.longest} of {life.steps} steps, from step "
                f"{rates.start} on (the largest before was {rates.largest:.3g})."
            )
            fix = "Let it fall more slowly, or later."
        place, more, better = line_of_rate(life, schedule)
        yield Finding(
            f"{words}{more}",
            better or fix,
            place,
            evidence={"largest": rates.largest, "lowest": rates.lowest, "steps": rates.longest},
            related=[] if place is life.place else [("the optimizer", life.place)],
        )


def note_schedule(watch: Watch, memory: dict, event: Scheduled) -> None:
    optimizer = getattr(event.scheduler, "optimizer", None)
    if optimizer is None:
        return
    schedule = memory.setdefault(id(watch.lives.of_optimizer(optimizer)), Schedule())
    if getattr(event.scheduler, "_is_initial", False) or schedule.made is None:
        schedule.made, schedule.kind = event.place, type(event.scheduler).__name__
    else:
        schedule.stepped = event.place
        schedule.steps += 1


def line_of_rate(life: OptimizerLife, schedule: Schedule | None) -> tuple[Location | None, str, str]:
    """The line that makes a rate vanish, what is to be said of it, and what to write."""
    if schedule is None:
        lines = [] if life.place is None else sources.lines_that_set_rate(life.place[0].co_filename)
        if lines and life.rates.largest and life.place is not None:
            return sources.place_of_line(life.place[0].co_filename, lines[-1], life.place), "", ""
        return life.place, "", ""
    often = schedule.steps >= 0.8 * life.steps and life.rates.largest and life.rates.start > 1
    if often and schedule.stepped is not None:
        return (
            schedule.stepped,
            f" {schedule.kind}{on_line(schedule.made)} is stepped here after every batch, and counts batches, not "
            "epochs.",
            "Call `scheduler.step()` once an epoch, or give the schedule its lengths in batches.",
        )
    return schedule.made, f" {schedule.kind} gives these rates.", ""


@check(
    "clip-ineffective", tier=1, severity=WARNING, on=(Clipped, GradientRead, Call), names={"clamp_", "clip_"}, wait=3
)
def clip_ineffective(watch: Watch, event: Clipped | GradientRead | Call) -> Iterator[Finding]:
    """Gradients are clipped when no step will use them: after step(), before backward(), or no parameters at all."""
    if isinstance(event, GradientRead):
        watch.memory["clip-ineffective"]["read"] = weakref.ref(event.tensor)
        return
    if isinstance(event, Call):
        # `p.grad.data.clamp_(-1, 1)`
        read = watch.memory["clip-ineffective"].get("read")
        owner = None if read is None else read()
        if owner is not None and owner._grad is not None and owner._grad.data_ptr() == event.args[0].data_ptr():
            yield from clipped_in_vain(watch, [owner], event.place)
        return
    if isinstance(event.limit, (int, float)) and math.isinf(event.limit):
        # the usual way to ask for a norm
        return
    yield from clipped_in_vain(watch, event.parameters, event.place)


def clipped_in_vain(watch: Watch, parameters: list[Tensor], place: Location | None) -> Iterator[Finding]:
    if not parameters:
        yield Finding(
            "The gradients of no parameters are clipped: the generator that it was given is used up.",
            "Pass `model.parameters()` anew, or make a list of it once.",
            place,
        )
        return
    states = [watch.lives.of_parameter(each) for each in parameters]
    if all(is_nothing(each._grad) for each in parameters):
        if watch.backwards:
            yield Finding(
                "Gradients are clipped before backward() has made them: there are none yet.",
                "Clip between `loss.backward()` and `optimizer.step()`.",
                place,
                watch.names.all(parameters),
            )
    elif all(each.gradient in (USED, CLEAN) for each in states) and any(each.gradient == USED for each in states):
        used = next(each.used_at for each in states if each.gradient == USED)
        yield Finding(
            f"Gradients are clipped after step(){on_line(used)} has used them.",
            "Clip between `loss.backward()` and `optimizer.step()`.",
            place,
            watch.names.all(parameters),
            related=[("the step that used them", used)],
        )
