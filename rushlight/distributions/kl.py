"""Kullback-Leibler divergence, by pairs of families."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.core.tensor import Tensor
from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.normal import Normal

FORMULAS: dict[tuple[type, type], Callable] = {}


def register_kl(type_p: type, type_q: type) -> Callable:
    """Decorate the formula for a pair of families."""
    for each in (type_p, type_q):
        if not (isinstance(each, type) and issubclass(each, Distribution)):
            raise TypeError(f"Expected a Distribution subclass but got {each}")

    def register(formula: Callable) -> Callable:
        FORMULAS[type_p, type_q] = formula
        return formula

    return register


def formula_for(type_p: type, type_q: type) -> Callable:
    """The formula for the nearest pair of base classes."""
    for one in type_p.__mro__:
        for two in type_q.__mro__:
            if (one, two) in FORMULAS:
                return FORMULAS[one, two]
    raise NotImplementedError(f"No KL(p || q) is implemented for p type {type_p.__name__} and q type {type_q.__name__}")


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The expected difference of log-probabilities under `p`, one number for each batch entry."""
    return formula_for(type(p), type(q))(p, q)


@register_kl(Normal, Normal)
def kl_normal_normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale) ** 2
    shift = ((p.loc - q.loc) / q.scale) ** 2
    return 0.5 * (ratio + shift - 1 - ratio.log())


@register_kl(Categorical, Categorical)
def kl_categorical_categorical(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms = terms.masked_fill(q.probs == 0, float("inf"))
    return terms.masked_fill(p.probs == 0, 0.0).sum(-1)


@register_kl(Bernoulli, Bernoulli)
def kl_bernoulli_bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    def term(one: Tensor, two: Tensor) -> Tensor:
        found = one * (one / two).log()
        return found.masked_fill(two == 0, float("inf")).masked_fill(one == 0, 0.0)

    return term(p.probs, q.probs) + term(1 - p.probs, 1 - q.probs)
