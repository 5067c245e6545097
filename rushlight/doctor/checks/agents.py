"""Agents: what a policy is scored by, and which gradients flow where they should not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rushlight.doctor.ancestry import (
    GATHERED,
    NETWORKS,
    PRODUCTS,
    SAMPLED,
    Ancestry,
    ancestry_of,
    counted,
    has_network,
    is_pathwise,
    leaf_tensors,
    live_behind,
    scores_in,
    through,
    value_of,
)
from rushlight.doctor.catalogue import check
from rushlight.doctor.events import Backward, Call, CategoricalMade, Cleared, Stepped
from rushlight.doctor.finding import ERROR, WARNING, Finding
from rushlight.doctor.names import listed
from rushlight.doctor.paths import VIEWS, behind
from rushlight.doctor.trace import Record

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

# losses by which a critic learns values
REGRESSIONS = {"mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss", "pow", "square", "abs"}
# what a normalised probability is recognised by
NORMALISED = {"softmax", "exp", "gumbel_softmax", "softmin", "log_softmax", "_softmax"}
DRAWS = {"sample", "rsample", "sample_n"}
# arithmetic on single elements, as in a change of variables
ELEMENTWISE = VIEWS | set(
    "tanh mul add sub rsub div pow square neg exp clamp clip mul_ add_ sub_ div_ abs sigmoid sum log log1p softplus "
    "logsigmoid logaddexp expm1 reciprocal rsqrt sqrt cosh minimum maximum".split()
)
LOGARITHMS = {"log", "log1p", "softplus", "logsigmoid", "logaddexp"}


@check("rl-advantage-not-detached", tier=1, severity=WARNING, on=(Backward, Cleared, Stepped))
def rl_advantage_not_detached(watch: Watch, event: Backward | Cleared | Stepped) -> Iterator[Finding]:
    """A policy's loss weighs log-probabilities by an advantage that has a history, and so trains the critic too."""
    memory = watch.memory["rl-advantage-not-detached"]
    suspects: list[Advantage] = memory.setdefault("suspects", [])
    if isinstance(event, Cleared):
        cleared = {id(each) for each in event.parameters}
        suspects[:] = [each for each in suspects if not each.harmed & cleared]
    elif isinstance(event, Backward):
        if event.fills:
            ancestry = ancestry_of(watch, event)
            memory.setdefault("valued", set()).update(valued_in(ancestry))
            suspects += advantages_in(ancestry)
            del suspects[:-16]
    else:
        moved = {id(each) for each in event.optimizer.parameters}
        for each in [one for one in suspects if one.harmed & moved]:
            suspects.remove(each)
            if each.has_value_loss or each.harmed & memory["valued"]:
                names = watch.names.all([one for one in leaf_tensors(each.advantage) if id(one) in each.harmed])
                yield Finding(
                    f"The policy's loss multiplies a log-probability with an advantage that has a history, so it also "
                    f"trains {listed(names)}, which should only learn to predict.",
                    "Write `advantage.detach()` in the policy's loss.",
                    each.product.place,
                    names,
                    related=[("the advantage", each.advantage.place)],
                )


class Advantage:
    """A product of log-probabilities and something that learns."""

    def __init__(self, ancestry: Ancestry, product: Record, scored: Record, advantage: Record):
        self.product = product
        self.advantage = advantage
        policy = {id(each) for each in leaf_tensors(scored)}
        values = {id(each) for each in leaf_tensors(advantage)}
        # a network may give both from its last layer
        self.harmed = values - policy or values
        own = {each.number for each in live_behind(advantage) if each.inputs}
        own -= {each.number for each in live_behind(scored)}
        self.has_value_loss = any(
            each.number in own for loss in regressions_in(ancestry) for each in live_behind(loss.inputs[0])
        )


def advantages_in(ancestry: Ancestry) -> Iterator[Advantage]:
    if not ancestry.scores:
        return
    for product in ancestry.named(PRODUCTS):
        if len(product.inputs) < 2 or not (product.inputs[0].live and product.inputs[1].live):
            continue
        one, other = product.inputs[:2]
        for scored, advantage in ((one, other), (other, one)):
            scores = scores_in(scored)
            if not scores or any(is_pathwise(each) for each in scores) or scores_in(advantage):
                continue
            if has_network(advantage):
                yield Advantage(ancestry, product, scored, advantage)
                break


def regressions_in(ancestry: Ancestry) -> Iterator[Record]:
    yield from (each for each in ancestry.named(REGRESSIONS) if each.inputs)
    yield from (each for each in ancestry.named({"mul"}) if len(each.inputs) == 2 and each.inputs[0] is each.inputs[1])


def valued_in(ancestry: Ancestry) -> set[int]:
    """The parameters that learn by a loss of values."""
    return {id(leaf) for each in regressions_in(ancestry) for leaf in leaf_tensors(each)}


@check("rl-ratio-not-detached", tier=1, severity=ERROR, on=Call, names=("exp", "div"))
def rl_ratio_not_detached(watch: Watch, event: Call) -> Iterator[Finding]:
    """The old log-probabilities in `exp(new - old)` keep their history, so the gradients of new and old cancel."""
    sides = sides_of_ratio(event.record)
    if sides is None:
        return
    new, old = scores_in(sides[0]), scores_in(sides[1])
    if not new or not old or any(each in old for each in new):
        return
    leaves = [{id(leaf) for leaf in leaf_tensors(side)} for side in sides]
    if leaves[0] != leaves[1] or not leaves[0] or not same_actions(new, old):
        return
    yield Finding(
        "Both log-probabilities of this ratio have a history into the same policy: their gradients cancel, and the "
        "policy does not move.",
        "Keep the old ones without history: `old_log_prob.detach()`, or compute them under `torch.no_grad()`.",
        event.place,
        watch.names.all(leaf_tensors(sides[0])),
        related=[("the old log-probability", old[0].place), ("the new one", new[0].place)],
    )


def sides_of_ratio(record: Record) -> tuple[Record, ...] | None:
    """New and old in `exp(new - old)` or `exp(new) / exp(old)`, if both have a history."""
    inside = record
    if record.name == "exp" and record.inputs:
        inside = through(record.inputs[0], VIEWS | {"clamp", "sum"})
        if inside.name != "sub":
            return None
    sides = inside.inputs[:2]
    if record.name == "div":
        sides = tuple(one for each in sides if (exp := through(each, VIEWS)).name == "exp" for one in exp.inputs[:1])
    return sides if len(sides) == 2 and sides[0].live and sides[1].live else None


def same_actions(new: list[Record], old: list[Record]) -> bool:
    """Whether both are log-probabilities of the same values, as far as can be told."""
    one, other = origins(new), origins(old)
    if {each.number for each in one} & {each.number for each in other}:
        return True
    # actions that went through lists and environments come back as data
    drawn = [all(each.name in SAMPLED for each in side) for side in (one, other)]
    data = [all(not each.inputs and each.name not in SAMPLED for each in side) for side in (one, other)]
    return (drawn[0] and data[1]) or (drawn[1] and data[0])


def origins(scores: list[Record]) -> list[Record]:
    """The values that are scored, before they were put together."""
    found: list[Record] = []
    seen: set[int] = set()
    stack = [value for each in scores if (value := value_of(each)) is not None]
    while stack:
        each = stack.pop()
        if each.number in seen:
            continue
        seen.add(each.number)
        if each.name in GATHERED and each.inputs:
            stack.extend(each.inputs)
        else:
            found.append(each)
    return found


@check("rl-logprob-wrong-action", tier=2, severity=ERROR, on=Stepped)
def rl_logprob_wrong_action(watch: Watch, event: Stepped) -> Iterator[Finding]:
    """The log-probability in the loss is that of a new sample, not that of the action that was taken."""
    for backward in counted(watch, event):
        suspects = [each for each in ancestry_of(watch, backward).scores if drawn_only_to_score(each) is not None]
        if not suspects:
            continue
        recent = [each for step in watch.trace.steps for each in step]
        scored = {draw.number for each in recent if each.name == "log_prob" and (draw := draw_of(each)) is not None}
        unscored = [each for each in recent if each.name in DRAWS and each.uses and each.number not in scored]
        for each in suspects:
            draw = drawn_only_to_score(each)
            taken = [one for one in unscored if draw is not None and sources(one) == sources(draw)]
            if taken:
                yield Finding(
                    "This log-probability is that of a new sample, not of the action that was taken: what the loss "
                    "rewards and what was done have nothing to do with each other.",
                    "Draw once: `action = dist.sample()`, then `dist.log_prob(action)` with the same action.",
                    each.place,
                    related=[("the action that was taken", taken[-1].place)],
                )


def draw_of(score: Record) -> Record | None:
    """The draw that a log-probability scores."""
    value = value_of(score)
    if value is None:
        return None
    source = through(value, VIEWS)
    return source if source.name in DRAWS else None


def drawn_only_to_score(score: Record) -> Record | None:
    """The draw that a log-probability scores, if nothing else ever looks at it."""
    draw = draw_of(score)
    each = value_of(score)
    while draw is not None and each is not None:
        if each.uses != 1:
            return None
        if each is draw:
            return draw
        each = each.inputs[0]
    return None


def sources(record: Record) -> frozenset[int]:
    return frozenset(each.number for each in behind(record, 2000) if not each.inputs and each.name != "earlier")


@check("rl-squash-correction", tier=2, severity=WARNING, on=Stepped)
def rl_squash_correction(watch: Watch, event: Stepped) -> Iterator[Finding]:
    """An action is squashed by tanh, and its log-probability is that of the value before, without the correction."""
    for backward in counted(watch, event):
        for score in ancestry_of(watch, backward).named({"log_prob"}):
            value = value_of(score)
            draw = None if value is None or not value.live else through(value, VIEWS)
            if draw is None or draw.name != "rsample":
                continue
            squashed = squashed_without_correction(watch, draw, score)
            if squashed is not None:
                yield Finding(
                    "The action is the tanh of this sample, but the log-probability is that of the sample before tanh.",
                    "Subtract what tanh changes: `log_prob - (2 * (math.log(2) - u - F.softplus(-2 * u))).sum(-1)`.",
                    score.place,
                    related=[("the tanh", squashed.place)],
                    sure="likely",
                )


def squashed_without_correction(watch: Watch, draw: Record, score: Record) -> Record | None:
    """The tanh of a sample, if no logarithm of anything made from the sample corrects for it."""
    inside, squashed = {draw.number}, None
    for step in watch.trace.steps:
        for each in step:
            if each.number <= draw.number or not any(one.number in inside for one in each.inputs):
                continue
            if each.name == "log_prob" and each is not score and draw_of(each) is draw:
                # two densities of one value are compared: the correction would cancel
                return None
            if each.name in ELEMENTWISE:
                inside.add(each.number)
                if each.name in LOGARITHMS:
                    return None
                if each.name == "tanh" and each.uses:
                    squashed = each
    return squashed


@check("dist-probs-unnormalised", tier=1, severity=WARNING, on=CategoricalMade)
def dist_probs_unnormalised(watch: Watch, event: CategoricalMade) -> Iterator[Finding]:
    """The first argument of Categorical is probabilities, and was given a network's scores."""
    array = event.probs._array
    if not array.size or array.dtype.kind != "f" or not (event.record.live or event.error is not None):
        return
    totals = array.sum(-1)
    lowest, total = float(array.min()), float(totals.reshape(-1)[abs(totals - 1).argmax()])
    if not (abs(total - 1) > 1e-3 or lowest < 0):
        return
    if lowest >= 0 and is_normalised_elsewhere(event.record):
        return
    seen = f"and there are negative ones (down to {lowest:.4g})" if lowest < 0 else f"and rows sum to {total:.4g}"
    yield Finding(
        f"The first argument of Categorical is `probs`; these are scores, {seen}.",
        "Name them: `Categorical(logits=scores)`.",
        event.place,
        evidence={"sum": total, "min": lowest},
        sure="certain" if lowest < 0 else "likely",
    )


def is_normalised_elsewhere(record: Record) -> bool:
    """Whether the scores come from a softmax, masked or mixed since: Categorical makes them sum to 1 again."""
    seen: set[int] = set()
    stack = [record]
    while stack:
        each = stack.pop()
        if each.number in seen or each.name in NETWORKS:
            continue
        if each.name in NORMALISED:
            return True
        seen.add(each.number)
        stack.extend(each.inputs)
    return False
