"""Kullback-Leibler divergence, by pairs of families."""

from __future__ import annotations

import math
from collections.abc import Callable

from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.normal import Normal
from rushlight.distributions.utils import sum_rightmost
from rushlight.nn.functional import softplus

FORMULAS: dict[tuple[type, type], Callable] = {}
# what was found for pairs of classes
KNOWN: dict[tuple[type, type], Callable | None] = {}


def register_kl(type_p: type, type_q: type) -> Callable:
    """Decorate the formula for a pair of families.

    >>> @register_kl(Normal, MyFamily)
    ... def kl_normal_mine(p, q):
    ...     return (p.loc - q.loc).abs()
    """
    for name, each in (("type_p", type_p), ("type_q", type_q)):
        if not (isinstance(each, type) and issubclass(each, Distribution)):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {each}")

    def register(formula: Callable) -> Callable:
        FORMULAS[type_p, type_q] = formula
        KNOWN.clear()
        return formula

    return register


def formula_for(type_p: type, type_q: type) -> Callable | None:
    """The formula for the nearest pair of base classes."""
    found = [pair for pair in FORMULAS if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not found:
        return None
    steps = {pair: (type_p.__mro__.index(pair[0]), type_q.__mro__.index(pair[1])) for pair in found}
    left = min(found, key=lambda pair: steps[pair])
    right = min(found, key=lambda pair: steps[pair][::-1])
    if FORMULAS[left] is not FORMULAS[right]:
        warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({left[0].__name__}, {right[1].__name__})",
            RuntimeWarning,
        )
    return FORMULAS[left]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The expected difference of log-probabilities under `p`, one number for each batch entry."""
    pair = type(p), type(q)
    if pair not in KNOWN:
        KNOWN[pair] = formula_for(*pair)
    formula = KNOWN[pair]
    if formula is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {pair[0].__name__} and q type {pair[1].__name__}: "
            "write one with register_kl"
        )
    return formula(p, q)


@register_kl(Normal, Normal)
def kl_normal_normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    shift = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + shift - 1 - ratio.log())


@register_kl(Categorical, Categorical)
def kl_categorical_categorical(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms = terms.masked_fill(q.probs == 0, math.inf)
    return terms.masked_fill(p.probs == 0, 0.0).sum(-1)


@register_kl(Bernoulli, Bernoulli)
def kl_bernoulli_bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones = ones.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0.0)
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros = zeros.masked_fill(q.probs == 1, math.inf).masked_fill(p.probs == 1, 0.0)
    return ones + zeros


@register_kl(ExponentialFamily, ExponentialFamily)
def kl_exponential_families(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot be computed using Bregman "
            "divergences: write one with register_kl"
        )
    natural, normalizer, means = p._means_of_statistics()
    found = q._log_normalizer(*q._natural_params) - normalizer
    for ours, theirs, mean in zip(natural, q._natural_params, means, strict=True):
        found = found - sum_rightmost((theirs - ours) * mean, len(q.event_shape))
    return found


__all__ = ["kl_divergence", "register_kl"]
