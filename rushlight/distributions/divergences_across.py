"""Kullback-Leibler divergences between members of different families.

Most are the expectation of -log q(x) less the entropy of p.
"""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.creation.likeness import full_like
from rushlight.core.object.tensor import Tensor
from rushlight.distributions.kl import formula
from rushlight.distributions.utils import euler_constant
from rushlight.ops.pointwise.exponential import xlogy

HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


@formula("Beta", "Pareto")
@formula("ContinuousBernoulli", "Pareto")
@formula("Exponential", "Beta", "ContinuousBernoulli", "Pareto", "Uniform")
@formula("Gamma", "Beta", "ContinuousBernoulli", "Pareto", "Uniform")
@formula("Gumbel", "Beta", "ContinuousBernoulli", "Exponential", "Gamma", "Pareto", "Uniform")
@formula("Laplace", "Beta", "ContinuousBernoulli", "Exponential", "Gamma", "Pareto", "Uniform")
@formula("Normal", "Beta", "ContinuousBernoulli", "Exponential", "Gamma", "Pareto", "Uniform")
@formula("Poisson", "Bernoulli", "Binomial")
def kl_infinite(p: Any, q: Any) -> Tensor:
    """p has values that are impossible under q; the shape is that of p alone, as in torch."""
    return full_like(getattr(p, next(iter(p.arg_constraints))), math.inf)


@formula("Pareto", "Beta", "ContinuousBernoulli", "Uniform")
def kl_infinite_pareto(p: Any, q: Any) -> Tensor:
    """The same; of its two parameters the scale says how the result lies in memory."""
    return full_like(p.scale, math.inf)


def mean_log_between(low: Tensor, high: Tensor) -> Tensor:
    """The mean of log x between two numbers."""
    return (xlogy(high, high) - xlogy(low, low)) / (high - low) - 1


def cross_standard(mean: Tensor, variance: Tensor, q: Any) -> Tensor:
    """The expectation of -log q for a normal q, in units of its scale."""
    return 0.5 * ((mean - q.loc).pow(2) + variance) / q.scale.pow(2) + HALF_LOG_2PI


def cross_normal(mean: Tensor, variance: Tensor, q: Any) -> Tensor:
    """The expectation of -log q for a normal q."""
    return cross_standard(mean, variance, q) + q.scale.log()


def cross_gamma(mean: Tensor, mean_log: Tensor, q: Any) -> Tensor:
    """The expectation of -log q for a gamma q."""
    shape = q.concentration
    return shape.lgamma() - shape * q.rate.log() - (shape - 1) * mean_log + q.rate * mean


def cross_exponential(mean: Tensor, q: Any) -> Tensor:
    """The expectation of -log q for an exponential q."""
    return q.rate * mean - q.rate.log()


def cross_gumbel(mean: Tensor, mean_decay: Tensor, q: Any) -> Tensor:
    """The expectation of -log q for a Gumbel q, from that of exp(-x / scale)."""
    return q.scale.log() + (mean - q.loc) / q.scale + (q.loc / q.scale).exp() * mean_decay


@formula("Bernoulli", "Poisson")
def kl_bernoulli_poisson(p: Any, q: Any) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@formula("Beta", "ContinuousBernoulli")
def kl_beta_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    show_both(q)
    return q._log_normalizer(q._bounded) - p.mean * q._bounded - p.entropy()


def show_both(q: Any) -> None:
    """Compute what was not given of probs and logits, which `repr` shows from then on, as after torch's formula."""
    q.__dict__.update(probs=q.probs, logits=q.logits)


@formula("Beta", "Exponential")
@formula("ContinuousBernoulli", "Exponential")
@formula("Gamma", "Exponential")
def kl_to_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() + cross_exponential(p.mean, q)


@formula("Beta", "Gamma")
def kl_beta_gamma(p: Any, q: Any) -> Tensor:
    mean_log = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return -p.entropy() + cross_gamma(p.mean, mean_log, q)


@formula("Beta", "Normal")
@formula("ContinuousBernoulli", "Normal")
@formula("Exponential", "Normal")
def kl_to_normal(p: Any, q: Any) -> Tensor:
    return -p.entropy() + cross_normal(p.mean, p.variance, q)


@formula("Gamma", "Normal")
def kl_gamma_normal(p: Any, q: Any) -> Tensor:
    shape = p.concentration
    # the rate comes first: torch's result has its order in memory
    less_entropy = p.rate.log() - (shape + shape.lgamma() + (1 - shape) * shape.digamma())
    return less_entropy + cross_normal(p.mean, p.variance, q)


@formula("Gumbel", "Normal")
@formula("Laplace", "Normal")
def kl_centred_normal(p: Any, q: Any) -> Tensor:
    """The same as a difference, as torch writes it for those with a location."""
    return cross_normal(p.mean, p.variance, q) - p.entropy()


@formula("Beta", "Uniform")
def kl_beta_uniform(p: Any, q: Any) -> Tensor:
    found = -p.entropy() + (q.high - q.low).log()
    found[(q.low > 0) | (q.high < 1)] = math.inf
    return found


@formula("ContinuousBernoulli", "Uniform")
def kl_continuous_bernoulli_uniform(p: Any, q: Any) -> Tensor:
    found = -p.entropy() + (q.high - q.low).log()
    return found.where((q.low <= 0) & (q.high >= 1), math.inf)


@formula("Exponential", "Gamma")
def kl_exponential_gamma(p: Any, q: Any) -> Tensor:
    return cross_gamma(p.mean, -euler_constant - p.rate.log(), q) - p.entropy()


@formula("Exponential", "Gumbel")
def kl_exponential_gumbel(p: Any, q: Any) -> Tensor:
    scaled = p.rate * q.scale
    return -p.entropy() + cross_gumbel(p.mean, scaled / (scaled + 1), q)


@formula("Gamma", "Gumbel")
def kl_gamma_gumbel(p: Any, q: Any) -> Tensor:
    mean_decay = (1 + 1 / (p.rate * q.scale)).pow(-p.concentration)
    return -p.entropy() + cross_gumbel(p.mean, mean_decay, q)


@formula("Normal", "Gumbel")
def kl_normal_gumbel(p: Any, q: Any) -> Tensor:
    shift, ratio = (p.loc - q.loc) / q.scale, (p.scale / q.scale).pow(2)
    return shift + (0.5 * ratio - shift).exp() - 0.5 * ratio.log() - 0.5 - HALF_LOG_2PI


@formula("Normal", "Laplace")
def kl_normal_laplace(p: Any, q: Any) -> Tensor:
    shift = p.loc - q.loc
    scaled = shift / p.scale
    distance = math.sqrt(2 / math.pi) * p.scale * (-0.5 * scaled.pow(2)).exp() + shift * (math.sqrt(0.5) * scaled).erf()
    return distance / q.scale + (2 * q.scale).log() - p.entropy()


@formula("Pareto", "Exponential")
def kl_pareto_exponential(p: Any, q: Any) -> Tensor:
    found = -p.entropy() + cross_exponential(p.scale * p.alpha / (p.alpha - 1), q)
    found[p.alpha <= 1] = math.inf
    return found


@formula("Pareto", "Gamma")
def kl_pareto_gamma(p: Any, q: Any) -> Tensor:
    mean_log = p.scale.log() + 1 / p.alpha
    found = -p.entropy() + cross_gamma(p.scale * p.alpha / (p.alpha - 1), mean_log, q)
    found[p.alpha <= 1] = math.inf
    return found


@formula("Pareto", "Normal")
def kl_pareto_normal(p: Any, q: Any) -> Tensor:
    share = p.scale / (p.alpha - 1)
    found = q.scale.log() - p.entropy() + cross_standard(p.alpha * share, p.alpha * share.pow(2) / (p.alpha - 2), q)
    found[p.alpha <= 2] = math.inf
    return found


@formula("Uniform", "Beta")
def kl_uniform_beta(p: Any, q: Any) -> Tensor:
    one, zero = q.concentration1, q.concentration0
    logs = (one - 1) * mean_log_between(p.low, p.high) + (zero - 1) * mean_log_between(1 - p.high, 1 - p.low)
    found = q._log_normalizer(one, zero) - logs - p.entropy()
    found[(p.high > 1) | (p.low < 0)] = math.inf
    return found


@formula("Uniform", "ContinuousBernoulli")
def kl_uniform_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    show_both(q)
    found = -p.entropy() - p.mean * q.logits + q._log_normalizer(q.logits)
    return found.where((p.high <= 1) & (p.low >= 0), math.inf)


@formula("Uniform", "Exponential")
def kl_uniform_exponential(p: Any, q: Any) -> Tensor:
    found = cross_exponential(p.mean, q) - p.entropy()
    found[p.low < 0] = math.inf
    return found


@formula("Uniform", "Gamma")
def kl_uniform_gamma(p: Any, q: Any) -> Tensor:
    found = -p.entropy() + cross_gamma(p.mean, mean_log_between(p.low, p.high), q)
    found[p.low < 0] = math.inf
    return found


@formula("Uniform", "Gumbel")
def kl_uniform_gumbel(p: Any, q: Any) -> Tensor:
    inverse = q.scale.reciprocal()
    low, high = inverse * (p.low - q.loc), inverse * (p.high - q.loc)
    decay = ((-low).exp() - (-high).exp()) / (high - low)
    return 0.5 * (low + high) + decay - (high - low).log()


@formula("Uniform", "Normal")
def kl_uniform_normal(p: Any, q: Any) -> Tensor:
    return q.scale.log() - p.entropy() + cross_standard(p.mean, p.variance, q)


@formula("Uniform", "Pareto")
def kl_uniform_pareto(p: Any, q: Any) -> Tensor:
    mean_log = mean_log_between(p.low, p.high)
    found = mean_log * (q.alpha + 1) - q.alpha.log() - q.alpha * q.scale.log() - p.entropy()
    found[p.low < q.scale] = math.inf
    return found
