"""Objectives: whether a loss grows with what should become larger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rushlight.doctor.ancestry import (
    PRODUCTS,
    Ancestry,
    ancestry_of,
    counted,
    is_of_own_sample,
    is_pathwise,
    live_behind,
    scores_in,
    through,
)
from rushlight.doctor.catalogue import check
from rushlight.doctor.events import Stepped
from rushlight.doctor.finding import WARNING, Finding
from rushlight.doctor.paths import VIEWS, behind
from rushlight.doctor.signs import Influence, influences, is_written
from rushlight.doctor.trace import Record

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch


@check("rl-entropy-sign", tier=2, severity=WARNING, on=Stepped, wait=2)
def rl_entropy_sign(watch: Watch, event: Stepped) -> Iterator[Finding]:
    """The loss of a policy grows with its entropy, so that training removes what should keep it exploring."""
    for backward in counted(watch, event):
        ancestry = ancestry_of(watch, backward)
        entropies = [*((each, 1) for each in ancestry.named({"entropy"})), *entropies_by_hand(ancestry)]
        if not entropies or not scales_scores(watch, ancestry):
            continue
        found = influences(ancestry, backward.records)
        wanted = -1 if maximizes(event.optimizer) else 1
        for entropy, meaning in entropies:
            influence = found.get(entropy.number)
            if influence is not None and influence.sign * meaning * wanted > 0:
                yield Finding(
                    "The loss grows with the policy's entropy: training removes it, and the policy stops exploring.",
                    "Subtract the entropy: `loss = policy_loss - weight * entropy`.",
                    where_entropy_joins(ancestry, entropy).place,
                    related=[("the entropy", entropy.place)],
                )
                break


def maximizes(optimizer: Any) -> bool:
    living = optimizer.ref()
    return living is not None and any(group.get("maximize") for group in living.param_groups)


def entropies_by_hand(ancestry: Ancestry) -> Iterator[tuple[Record, int]]:
    """Products `p * log p`, which are negative entropies."""
    for each in ancestry.named({"mul"}):
        if len(each.inputs) == 2:
            names = {through(one, VIEWS | {"clamp", "add"}).name for one in each.inputs}
            if names & {"softmax", "exp"} and names & {"log_softmax", "log", "_normalized_logits"}:
                yield each, -1


def scales_scores(watch: Watch, ancestry: Ancestry) -> bool:
    """Whether log-probabilities are weighed by how well it went: a policy gradient, no likelihood of data."""
    scores = ancestry.scores
    if not scores:
        return False
    if any(is_of_own_sample(each) for each in scores) or draws_from_policy(watch, ancestry):
        return True
    for product in ancestry.named(PRODUCTS):
        if product.factor is not None and is_written(product):
            continue
        if any(each.live and scores_in(each) for each in product.inputs):
            return True
    return False


def draws_from_policy(watch: Watch, ancestry: Ancestry) -> bool:
    """Whether the program draws from what it scores; what became of the draw may be lost in an environment."""
    policy = {number for each in ancestry.scores for number in ancestry.leaves(each)}
    draws = (each for each in watch.trace.current if each.name in ("sample", "multinomial", "bernoulli"))
    return any(one.number in policy for each in draws for one in behind(each, 500))


def where_entropy_joins(ancestry: Ancestry, entropy: Record) -> Record:
    """The sum in which the entropy meets the rest of the loss."""
    scores = {each.number for each in ancestry.scores}
    for each in ancestry.named({"add", "sub", "add_", "sub_"}):
        if len(each.inputs) != 2:
            continue
        sides = [{one.number for one in live_behind(side)} for side in each.inputs]
        with_entropy = [side for side in sides if entropy.number in side]
        if len(with_entropy) == 1 and not with_entropy[0] & scores:
            return each
    return entropy


@check("objective-sign", tier=2, severity=WARNING, on=Stepped, wait=3)
def objective_sign(watch: Watch, event: Stepped) -> Iterator[Finding]:
    """The loss grows with the log-likelihood of the data, so that training makes the data less likely."""
    praised: set[int] = watch.memory["objective-sign"].setdefault("praised", set())
    wanted = -1 if maximizes(event.optimizer) else 1
    blamed: list[tuple[Ancestry, Record]] = []
    for backward in counted(watch, event):
        ancestry = ancestry_of(watch, backward)
        scores = [each for each in ancestry.scores if each.name not in ("cross_entropy", "nll_loss")]
        found = influences(ancestry, backward.records) if scores and not draws_from_policy(watch, ancestry) else {}
        for each in scores:
            influence = found.get(each.number, Influence(0, False))
            if influence.sign * wanted > 0 and influence.plain and not is_pathwise(each) and not is_of_own_sample(each):
                blamed.append((ancestry, each))
            else:
                praised |= ancestry.leaves(each)
    for ancestry, each in blamed:
        if not ancestry.leaves(each) & praised:
            yield Finding(
                "The loss grows with the log-likelihood of the data: training makes the data less likely.",
                "Put a minus: `loss = -log_prob.mean()`.",
                where_it_becomes_one_number(ancestry, each).place,
                related=[("the log-likelihood", each.place)],
            )


def where_it_becomes_one_number(ancestry: Ancestry, record: Record) -> Record:
    """The mean or sum that makes a loss of a value."""
    inside = {record.number}
    for each in reversed(ancestry.records):
        if any(one.number in inside for one in each.inputs):
            inside.add(each.number)
            if each.shape == () and record.shape != ():
                return each
    return record
