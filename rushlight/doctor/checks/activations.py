"""Activations: layers that are dead or saturated, and gradients that fade on their way down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.catalogue import check
from rushlight.doctor.checks import courses
from rushlight.doctor.checks.placing import layer_place
from rushlight.doctor.events import Backward, Call, Finished, Stepping
from rushlight.doctor.finding import WARNING, Finding
from rushlight.doctor.finite import size_of
from rushlight.doctor.paths import VIEWS
from rushlight.doctor.trace import Record

if TYPE_CHECKING:
    from rushlight.doctor.lives import OptimizerLife
    from rushlight.doctor.watch import Watch

LAYERS = set("linear conv1d conv2d conv3d conv_transpose2d matmul mm bmm addmm bilinear embedding".split())
# what may stand between a layer and its activation
BETWEEN = VIEWS | {"batch_norm", "layer_norm", "group_norm", "instance_norm", "dropout", "add", "add_", "dropout_"}
# fewer outputs than this may all be zero by chance
ENOUGH = 32
# how many steps running something has to be seen
RUNNING = 3


def layer_of(record: Record) -> Record | None:
    """The layer that an activation belongs to; None for a hinge, a penalty or a gate on something else."""
    each = record.inputs[0] if record.inputs else None
    for _ in range(6):
        if each is None or each.name in LAYERS:
            return each
        each = next((one for one in each.inputs if one.carries), None) if each.name in BETWEEN else None
    return None


def identity_of(layer: Record) -> Any:
    """What is the same at the next step: its weight."""
    weights = [each.number for each in layer.inputs if each.tensor is not None and is_weight(each.tensor())]
    return weights[0] if weights else layer.place


def is_weight(tensor: Tensor | None) -> bool:
    return tensor is not None and tensor.is_leaf and tensor.requires_grad


class Sightings:
    """In which steps running something was seen, for each layer."""

    def __init__(self) -> None:
        self.seen: dict[Any, tuple[int, int]] = {}

    def add(self, key: Any, step: int, is_so: bool, every: int = 1) -> int:
        """How many times running it was so, this one included; once for each step."""
        last, times = self.seen.get(key, (step - every, 0))
        if not is_so or (last not in (step, step - every)):
            times = 0
        elif last == step and times:
            return times
        self.seen[key] = step, times + is_so
        return times + is_so


@check("dead-relu", tier=1, severity=WARNING, on=Call, names=("relu", "relu_"))
def dead_relu(watch: Watch, event: Call) -> Iterator[Finding]:
    """Every output of a ReLU is zero for every sample: no gradient passes, and nothing below it can learn."""
    array = event.result._array
    if not event.record.live or array.size < ENOUGH:
        return
    layer = layer_of(event.record)
    if layer is None:
        return
    memory = watch.memory["dead-relu"].setdefault("sightings", Sightings())
    dead = not array.reshape(-1)[:1000].any() and not array.any()
    if memory.add(identity_of(layer), watch.steps, dead) >= RUNNING:
        yield Finding(
            f"Every output of this ReLU, of shape {list(array.shape)}, is zero for every sample: no gradient passes.",
            "Start from small weights and a bias of 0, lower the learning rate, or use nn.LeakyReLU.",
            layer_place(watch, event.record),
            related=[("where it is computed", event.place)],
        )


# saturation: looked at in every second of the first steps
EARLY, EVERY = 50, 2
FLAT = {"tanh": 1.0, "sigmoid": 0.25, "tanh_": 1.0, "sigmoid_": 0.25}


@check("saturated-activation", tier=2, severity=WARNING, on=(Call, Backward, Stepping, Finished), names=FLAT)
def saturated_activation(watch: Watch, event: Call | Backward | Stepping | Finished) -> Iterator[Finding]:
    """Nearly all outputs of tanh or sigmoid lie at its bounds, where it has no slope, and the loss does not fall."""
    memory = watch.memory["saturated-activation"]
    if isinstance(event, Backward):
        courses.note(watch, event)
    elif isinstance(event, Call):
        if watch.steps < EARLY and watch.steps % EVERY == 0 and event.record.live:
            note_saturation(watch, event)
    elif isinstance(event, Stepping):
        if watch.steps < EARLY and watch.steps % EVERY == 0:
            judge_uses(watch)
        elif watch.steps == EARLY:
            yield from tell_saturation(watch)
    elif watch.steps < EARLY and "hidden" in memory:
        yield from tell_saturation(watch)


def note_saturation(watch: Watch, event: Call) -> None:
    array = event.result._array
    layer = layer_of(event.record)
    if layer is None or array.size < ENOUGH:
        return
    steepest = FLAT[event.name]
    slope = (1 - array * array) if steepest == 1 else array * (1 - array)
    flat = float((slope < 0.02 * steepest).mean())
    seen = watch.memory["saturated-activation"].setdefault("seen", Sightings())
    times = seen.add(identity_of(layer), watch.steps, flat > 0.9 and float(np.median(slope)) < 0.01 * steepest, EVERY)
    most = 0.0 if event.name.endswith("_") else float(np.abs(event.args[0]._array).max(initial=0))
    watch.memory["saturated-activation"].setdefault("now", []).append((event.record, layer, flat, most, times))


def judge_uses(watch: Watch) -> None:
    """Keep those that feed another layer: gates are multiplied, and what a loss takes may well be sure of itself."""
    memory = watch.memory["saturated-activation"]
    noted = memory.pop("now", ())
    # all at once: a network that is asked step by step has thousands of calls, and as many activations among them
    used: dict[int, list[Record]] = {id(record): [] for record, *_ in noted}
    for each in watch.trace.current if used else ():
        for one in each.inputs:
            if id(one) in used:
                used[id(one)].append(each)
    for record, layer, flat, most, times in noted:
        users = used[id(record)]
        feeds = any(each.name in LAYERS or each.name in BETWEEN for each in users)
        if feeds and not any(each.name == "mul" for each in users):
            memory.setdefault("hidden", {})[identity_of(layer)] = record, flat, most, times


def tell_saturation(watch: Watch) -> Iterator[Finding]:
    if courses.improves(watch):
        return
    for record, flat, most, times in watch.memory["saturated-activation"].pop("hidden", {}).values():
        if times >= RUNNING:
            yield Finding(
                f"`{record.name}` is saturated at {flat:.0%} of its outputs (its input is up to {most:.3g}): hardly "
                "any gradient passes, and the loss does not fall.",
                "Scale the inputs to about 1 ((x - x.mean(0)) / x.std(0)), or start from smaller weights.",
                layer_place(watch, record),
                related=[("where it is computed", record.place)],
                sure="likely",
            )


@check("vanishing-gradient", tier=3, severity=WARNING, on=Stepping)
def vanishing_gradient(watch: Watch, event: Stepping) -> Iterator[Finding]:
    """The gradient of the first layer is a millionth of that of the last one, or less."""
    sizes = gradient_sizes(event.optimizer)
    if len(sizes) < 4:
        return
    (first, small), (last, large) = sizes[0], sizes[-1]
    seen = watch.memory["vanishing-gradient"].setdefault("seen", Sightings())
    if seen.add(id(event.optimizer), watch.steps, 0 < small < 1e-6 * large) >= RUNNING:
        name = watch.names.of(first)
        yield Finding(
            f"The gradient of {name} is {small / large:.1e} of that of {watch.names.of(last)}: the first layers do not "
            "learn.",
            "Use ReLU or GELU in place of sigmoid and tanh, normalisation (nn.LayerNorm), or ways past the layers.",
            watch.lives.of_parameter(first).place,
            [name],
            sure="likely",
            related=[("the optimizer", event.optimizer.place)],
        )


def gradient_sizes(life: OptimizerLife) -> list[tuple[Any, float]]:
    """The root mean square of the gradient of each weight, in the optimizer's order."""
    return [
        (each, size_of(each._grad._array) / max(1, each._array.size) ** 0.5)
        for each in life.parameters
        if each._grad is not None and each._array.ndim > 1 and each._array.dtype.kind == "f"
    ]
