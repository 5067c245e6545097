"""Training and evaluation: networks that are in the wrong one of the two modes, and dropout that knows of neither."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rushlight.core.settings.state import state
from rushlight.doctor.catalogue import check
from rushlight.doctor.events import Call, Finished, ModuleLeft, Stepped, Switched
from rushlight.doctor.finding import WARNING, Finding
from rushlight.doctor.paths import behind
from rushlight.doctor.trace import Record, tensors_in
from rushlight.errors.location import Location

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
# what a program measures a network by
COMPARISONS = {"eq", "ne", "__eq__", "equal", "isclose", "allclose"}
LOSSES = set(
    "cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy kl_div "
    "binary_cross_entropy_with_logits gaussian_nll_loss poisson_nll_loss hinge_embedding_loss".split()
)
REDUCTIONS = {"mean", "sum"}
DISTANCES = {"abs", "pow", "square", "norm", "sqrt"}


def is_noisy(module: Any) -> bool:
    """Whether a layer computes otherwise in training than in evaluation."""
    kind = type(module).__name__
    if "Dropout" in kind or kind == "RReLU":
        return getattr(module, "p", 1) != 0
    if "BatchNorm" in kind or ("InstanceNorm" in kind and getattr(module, "track_running_stats", False)):
        return True
    given = getattr(module, "dropout", 0)
    return isinstance(given, float) and given > 0


def noisy_layers(module: Any, training: bool) -> list[Any]:
    """The layers of a network that are in one of the modes, and that the mode matters to."""
    return [each for each in module.modules() if each.training is training and is_noisy(each)]


@check("mode-eval-while-training", tier=1, severity=WARNING, on=(Switched, Stepped), wait=2)
def mode_eval_while_training(watch: Watch, event: Switched | Stepped) -> Iterator[Finding]:
    """eval() was called on a network and never undone, so it trains without dropout and with frozen statistics."""
    switched: dict[int, tuple[weakref.ref, Location | None]]
    switched = watch.memory["mode-eval-while-training"].setdefault("switched", {})
    if isinstance(event, Switched):
        if not event.training and watch.steps:
            switched[id(event.module)] = weakref.ref(event.module), event.place
        else:
            switched.pop(id(event.module), None)
        return
    if not switched:
        return
    moved = {id(each) for each in event.optimizer.parameters if each._grad is not None}
    roots = {id(each) for each in watch.names.roots()}
    for held, place in switched.values():
        module = held()
        if (
            module is None
            or id(module) not in roots
            or module.training
            or not any(id(one) in moved for one in module.parameters())
        ):
            continue
        layers = noisy_layers(module, False)
        if layers:
            name = watch.names.of_module(module)
            yield Finding(
                f"{name}.eval() is still on at step(): {kinds_of(layers)} of {name} behave as in evaluation while it "
                "trains.",
                f"Call `{name}.train()` after each evaluation.",
                place,
                related=[("a step in evaluation mode", event.place)],
            )


def kinds_of(layers: list[Any]) -> str:
    return " and ".join(sorted({type(each).__name__ for each in layers}))


class Evaluation:
    """A call of a network without gradients and in training mode."""

    def __init__(self, event: ModuleLeft, layers: list[Any], step: int):
        self.place = event.place
        self.name = ""
        self.layers = kinds_of(layers)
        self.records: list[Record] = []
        self.inputs: list[tuple[int, int]] = []
        self.step = step


@check("mode-train-while-evaluating", tier=2, severity=WARNING, on=(ModuleLeft, Stepped, Finished))
def mode_train_while_evaluating(watch: Watch, event: ModuleLeft | Stepped | Finished) -> Iterator[Finding]:
    """A network is measured while dropout is on, or batch norm learns from the data that it is measured by."""
    memory = watch.memory["mode-train-while-evaluating"]
    calls: list[Evaluation] = memory.setdefault("calls", [])
    if isinstance(event, ModuleLeft):
        if event.depth == 0 and not state.grad and event.module.training and len(calls) < 200:
            layers = noisy_layers(event.module, True)
            if layers:
                call = Evaluation(event, layers, watch.steps)
                call.name = watch.names.of_module(event.module)
                call.records = [watch.trace.of(each) for each in tensors_in(event.result)]
                # parts that one call made, as those of split(), have one record and memory of their own
                call.inputs = [(watch.trace.of(one).number, one.data_ptr()) for one in tensors_in(list(event.args))]
                calls.append(call)
        return
    if calls:
        measured = [each for each in calls if each.records]
        calls.clear()
        yield from measurements(watch, event, measured, memory.setdefault("seen", {}))


def measurements(watch: Watch, event: Stepped | Finished, calls: list[Evaluation], seen: dict) -> Iterator[Finding]:
    """The calls whose results were only measured, once there were two of them on a line."""
    used = used_by_losses(event) if isinstance(event, Stepped) else set()
    by_line: dict[Any, list[Evaluation]] = {}
    for each in calls:
        by_line.setdefault(each.place, []).append(each)
    for place, group in by_line.items():
        inputs = [one for each in group for one in each.inputs]
        if len(inputs) != len(set(inputs)):
            # one input several times: the spread of the answers is what is asked for
            seen[place] = -(10**6)
        records = {record.number for each in group for record in each.records}
        if records & used or not is_measured(watch, records):
            continue
        seen[place] = seen.get(place, 0) + len(group)
        if seen[place] >= 2:
            name, layers = group[0].name, group[0].layers
            yield Finding(
                f"{name} is measured here in training mode, with {layers} as in training.",
                f"Call `{name}.eval()` before, and `{name}.train()` after.",
                place,
                sure="likely",
            )


def used_by_losses(event: Stepped) -> set[int]:
    """Everything that the losses of a step were computed from, with or without gradients."""
    return {one.number for each in event.backwards for record in each.records for one in behind(record)}


def is_measured(watch: Watch, numbers: set[int]) -> bool:
    """Whether values were compared with what they should be, and came out as numbers."""
    inside, reduced, far = set(numbers), set[int](), set[int]()
    for step in watch.trace.steps:
        for each in step:
            sources = {one.number for one in each.inputs} & inside
            if not sources:
                continue
            inside.add(each.number)
            name = each.name
            if name in COMPARISONS or (name in LOSSES and each.shape == ()):
                return True
            if name in DISTANCES or sources & far:
                far.add(each.number)
                if name in REDUCTIONS:
                    reduced.add(each.number)
            if name in ("item", "__float__") and sources & reduced:
                return True
    return False


@check("dropout-always-on", tier=1, severity=WARNING, on=Call, names=(*DROPOUTS, "scaled_dot_product_attention"))
def dropout_always_on(watch: Watch, event: Call) -> Iterator[Finding]:
    """Dropout acts in a network that is in evaluation mode, because nobody told it of the mode."""
    modules = watch.trace.modules
    if not modules:
        return
    layer, around = modules[-1], modules[-1]
    if "Dropout" in type(layer).__name__:
        # a layer that forward() makes anew is always in training
        around = modules[-2] if len(modules) > 1 else layer
        if layer.training and not around.training and layer.p and all(each is not layer for each in around.modules()):
            yield Finding(
                "This dropout layer is made anew at each call, so it is always on, also in evaluation.",
                "Make it in `__init__`: `self.dropout = nn.Dropout(p)`, and call `self.dropout(x)`.",
                event.place,
            )
        return
    if around.training:
        return
    if event.name == "scaled_dot_product_attention":
        if event.argument(4, "dropout_p", 0.0):
            yield always_on(watch, event, around, "dropout_p=self.p if self.training else 0.0")
    elif event.argument(1, "p", 0.5) and len(event.args) < 3 and "training" not in event.kwargs:
        yield always_on(watch, event, around, "training=self.training")


def always_on(watch: Watch, event: Call, module: Any, written: str) -> Finding:
    return Finding(
        f"{event.name} is on although {watch.names.of_module(module)} is in evaluation mode.",
        f"Tell it of the mode: `{written}`.",
        event.place,
    )
