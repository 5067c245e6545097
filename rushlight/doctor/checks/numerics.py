"""Numerics: values that are no numbers any more, runs that explode, and weights that can never differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.doctor.catalogue import check
from rushlight.doctor.checks import courses, data_places
from rushlight.doctor.checks.placing import line_of
from rushlight.doctor.events import (
    Backward,
    BatchTaken,
    Call,
    DistributionUsed,
    NotFinite,
    Origin,
    Raised,
    Stepped,
    Stepping,
)
from rushlight.doctor.finding import ERROR, WARNING, Finding
from rushlight.doctor.finite import NAN, size_of
from rushlight.doctor.names import listed

if TYPE_CHECKING:
    from rushlight.core.object.tensor import Tensor
    from rushlight.doctor.lives import OptimizerLife
    from rushlight.doctor.watch import Watch

# words of errors that NaN is behind
COMPLAINTS = ("invalid values", "probability tensor contains", "nan", "must be finite")


@check("nan-forward", tier=1, severity=ERROR, on=(NotFinite, Raised, BatchTaken))
def nan_forward(watch: Watch, event: NotFinite | Raised | BatchTaken) -> Iterator[Finding]:
    """A call gave NaN or infinity from finite inputs, or the data hold some, and the loss is no number any more."""
    if isinstance(event, BatchTaken):
        data_places.note(watch, event)
        return
    if isinstance(event, NotFinite):
        if event.what != "loss" or has_diverged(watch) or is_known(watch, event.origin):
            return
        origin, leaf, then = event.origin, event.leaf, f"the loss is {event.value}"
    else:
        found = origin_of_error(watch, event)
        if found is None or is_known(watch, found):
            return
        origin, leaf, then = found, None, "the program ends with an error"
    related = [("where the loss is differentiated" if isinstance(event, NotFinite) else "the error", event.place)]
    if leaf is not None:
        yield not_finite_itself(watch, leaf, event.place, then, related)
    elif origin is not None:
        place, what = data_places.described(watch, origin)
        words, fix = ("gave what is not finite", "") if origin.clue is None else (origin.clue.words, origin.clue.fix)
        yield Finding(f"{what} {words}, so {then}.", fix, place or event.place, related=related)


def not_finite_itself(watch: Watch, leaf: Tensor, place: Any, then: str, related: list) -> Finding:
    """A parameter that was not finite before this loss: from the start, or since a step that nobody saw."""
    name, life = watch.names.of(leaf), watch.lives.of_parameter(leaf)
    if life.moved:
        return Finding(
            f"{name} is not finite since one of the steps before, by a gradient that was none or too large, so {then}.",
            "Clip gradients with torch.nn.utils.clip_grad_norm_, lower the learning rate, and keep roots and "
            "logarithms away from 0.",
            place,
            [name],
            related=related,
            sure="likely",
        )
    return Finding(
        f"{name} is not finite before anything was learned from this loss, so {then}.",
        "Set its values when it is made: torch.empty leaves them to chance; and look at the learning rate.",
        life.place,
        [name],
        related=related,
    )


def origin_of_error(watch: Watch, event: Raised) -> Origin | None:
    """Where the NaN came from that a distribution or another call refused."""
    text = str(event.error).lower()
    if not any(words in text for words in COMPLAINTS) or watch.finite.told or not watch.finite.last:
        return None
    record = watch.finite.last[-1]
    if record.bad.kind != NAN or record.bad.origin.name == "leaf":
        return None
    return Origin(record.bad.origin.name, record.bad.origin.place, record.bad.clue, record.bad.origin)


@check("nan-backward", tier=1, severity=ERROR, on=NotFinite)
def nan_backward(watch: Watch, event: NotFinite) -> Iterator[Finding]:
    """The loss is finite, but a gradient is taken where it is infinite, so the next step ruins the weights."""
    if event.what != "gradient" or has_diverged(watch):
        return
    names = [] if event.leaf is None else [watch.names.of(event.leaf)]
    origin = event.origin
    if origin is None or origin.clue is None:
        message, fix, place = "A gradient is not finite", "Look for roots, norms and divisions at zero.", event.place
    else:
        message = f"The gradient of `{origin.name}` {origin.clue.words}"
        fix, place = origin.clue.fix, origin.place or event.place
    yield Finding(
        f"{message}; {listed(names) if names else 'a parameter'} gets {event.value} as its gradient.",
        fix,
        place,
        names,
        related=[("the backward", event.place)],
    )


@check("transform-inverse", tier=1, severity=ERROR, on=DistributionUsed)
def transform_inverse(watch: Watch, event: DistributionUsed) -> Iterator[Finding]:
    """A density is asked for at the bound of tanh or sigmoid, where the way back is infinite."""
    found = bound_of(event)
    if found is None:
        return
    kind, value, remembers = found
    if remembers and bool(np.isfinite(event.result._array).all()):
        return
    inverse = "atanh" if kind == "TanhTransform" else "the logit"
    yield Finding(
        f"`log_prob` is asked for the value {value:.9g}, at the bound of {kind}: {inverse} of it is infinite.",
        f"Write {kind}(cache_size=1) and give log_prob the very sample, or keep the value from before the transform "
        "and score that.",
        event.place,
    )


def bound_of(event: DistributionUsed) -> tuple[str, float, bool] | None:
    """The transform whose bound a value lies on, the value, and whether it was told to remember its last pair."""
    if event.name != "log_prob" or not hasattr(event.value, "_array"):
        return None
    distribution = event.distribution
    while not hasattr(distribution, "transforms") and hasattr(distribution, "base_dist"):
        distribution = distribution.base_dist
    value = event.value._array
    for each in reversed(flat(getattr(distribution, "transforms", []))):
        kind = type(each).__name__
        if kind == "AffineTransform":
            value = (value - as_array(each.loc)) / as_array(each.scale)
        elif kind in ("TanhTransform", "SigmoidTransform"):
            at = np.abs(value) >= 1 - 2 * np.finfo(value.dtype).epsneg
            if kind == "SigmoidTransform":
                at |= value <= np.finfo(value.dtype).tiny
            return (kind, float(value[at][0]), bool(each._cache_size)) if at.any() else None
        else:
            return None
    return None


def flat(transforms: list) -> list:
    return [one for each in transforms for one in (flat(each.parts) if hasattr(each, "parts") else [each])]


def as_array(value: Any) -> Any:
    return value._array if hasattr(value, "_array") else value


def is_known(watch: Watch, origin: Origin | None) -> bool:
    """Whether another finding says why this line gives no number."""
    causes = ("transform-inverse", "loss-expects-logprobs")
    lines = [line for each in watch.found.values() if each.id in causes for line in lines_of(each)]
    return origin is not None and line_of(origin.place) in lines


def lines_of(finding: Finding) -> list:
    return [line_of(place) for place in (finding.place, *[place for _, place in finding.related])]


# diverged: how much losses and weights have to grow
LOSS_GROWTH, WEIGHT_GROWTH = 100, 10


@check("diverged", tier=2, severity=WARNING, on=(Stepping, Backward, NotFinite))
def diverged(watch: Watch, event: Stepping | Backward | NotFinite) -> Iterator[Finding]:
    """Loss and weights grow without end: the steps are too large."""
    memory = watch.memory["diverged"]
    if isinstance(event, Stepping):
        if event.optimizer not in memory:
            memory[event.optimizer] = weight_of(event.optimizer)
        return
    if isinstance(event, Backward):
        courses.note(watch, event)
        if not grows(watch, 3):
            return
    elif not grows(watch, 1):
        return
    for life, before in list(memory.items()):
        now = weight_of(life)
        if now > WEIGHT_GROWTH * max(before, courses.SMALL) or math.isnan(now):
            first, last, steps = course(watch)
            optimizer = life.ref()
            rate = "" if optimizer is None else f" of {optimizer.param_groups[0]['lr']}"
            yield Finding(
                f"The loss grew from {first:.4g} to {last:.4g} in {steps} steps and the weights from {before:.3g} to "
                f"{now:.3g}: with the learning rate{rate} each step overshoots.",
                "Lower the learning rate, for example to a tenth, or scale the inputs and targets to about 1.",
                life.place,
                evidence={"first": first, "last": last, "steps": steps},
            )
            return


def grows(watch: Watch, running: int) -> bool:
    return any(courses.growth(each, running) > LOSS_GROWTH for each in courses.all_courses(watch))


def course(watch: Watch) -> tuple[float, float, int]:
    """The first loss, the last finite one, and the number of steps between, of the backward that grew most."""
    most = max(courses.all_courses(watch), key=lambda each: courses.growth(each, 1))
    finite = [each for each in most if math.isfinite(each)]
    return finite[0], finite[-1], len(finite) - 1


def weight_of(life: OptimizerLife) -> float:
    """The largest norm among its parameters."""
    sizes = [size_of(each._array) for each in life.parameters if each._array.dtype.kind == "f"]
    return math.nan if any(map(math.isnan, sizes)) else max(sizes, default=0.0)


def has_diverged(watch: Watch) -> bool:
    """Whether NaN is only the end of a run whose loss had exploded before."""
    weights = watch.memory["diverged"].items()
    ratios = [weight_of(life) / max(before, courses.SMALL) for life, before in weights]
    return grows(watch, 1) and any(each > WEIGHT_GROWTH or math.isnan(each) for each in ratios)


SETTERS = "constant_ zeros_ ones_ fill_ zero_ copy_".split()
# at which step rows that began alike must differ
SEPARATED = 3


@check("symmetric-init", tier=1, severity=ERROR, on=(Stepped, Call), names=SETTERS)
def symmetric_init(watch: Watch, event: Stepped | Call) -> Iterator[Finding]:
    """All units of a layer began with the same weights: they get the same gradient and stay one unit for ever."""
    memory = watch.memory["symmetric-init"]
    if isinstance(event, Call):
        if not watch.steps and event.args and hasattr(event.args[0], "_array") and event.args[0]._array.ndim > 1:
            memory[event.args[0].data_ptr()] = event.place
        return
    if event.optimizer.steps != SEPARATED:
        return
    alike: dict[Any, list] = {}
    for parameter, units in weights_of_layers(watch, event.optimizer):
        life = watch.lives.of_parameter(parameter)
        if life.reached >= SEPARATED and units.shape[0] > 1 and bool((units == units[:1]).all()):
            place = memory.get(parameter.data_ptr(), life.place)
            alike.setdefault(line_of(place), [place, len(units)]).append(parameter)
    for place, count, *parameters in alike.values():
        names = watch.names.all(parameters)
        yield Finding(
            f"The {count} units of {names[0]} are identical, and still are after {SEPARATED} steps: they get the same "
            "gradient and never differ" + (f"; so are those of {listed(names[1:])}." if names[1:] else "."),
            "Start from random weights: nn.init.kaiming_uniform_(layer.weight), or leave the layer as it is made.",
            place,
            names,
        )


def weights_of_layers(watch: Watch, life: OptimizerLife) -> Iterator[tuple[Tensor, np.ndarray]]:
    """The weights that an optimizer moves, a unit a row: of layers, and of matrices that the program multiplies by."""
    from rushlight.nn.modules.conv import _ConvNd
    from rushlight.nn.modules.linear import Linear
    from rushlight.nn.modules.rnn import RNNBase, RNNCellBase

    owners = {
        id(each): module
        for module in watch.lives.living_modules()
        for each in module.__dict__.get("_parameters", {}).values()
        if each is not None
    }
    factors = {
        id(tensor)
        for record in watch.trace.current
        if record.name in ("matmul", "mm", "addmm")
        for each in record.inputs[1:]
        if each.tensor is not None and (tensor := each.tensor()) is not None
    }
    for each in life.parameters:
        array = each._array
        if array.ndim < 2 or each._grad is None:
            continue
        owner = owners.get(id(each))
        if isinstance(owner, (Linear, _ConvNd)):
            yield each, array
        elif isinstance(owner, (RNNBase, RNNCellBase)) and array.shape[0] % owner.hidden_size == 0:
            # a unit has a row for each of its gates
            yield each, array.reshape(-1, owner.hidden_size, array.shape[1]).swapaxes(0, 1)
        elif id(each) in factors and array.ndim == 2:
            yield each, array.T
