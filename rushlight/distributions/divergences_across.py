"""Kullback-Leibler divergences between members of different families.

Most are the expectation of -log q(x) less the entropy of p.
"""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.filled import full
from rushlight.core.tensor import Tensor
from rushlight.distributions.kl import formula
from rushlight.distributions.utils import euler_constant
from rushlight.ops.broadcasting import broadcast_shapes
from rushlight.ops.exponential import xlogy

HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)


@formula("Beta", "Pareto")
@formula("ContinuousBernoulli", "Pareto")
@formula("Exponential", "Beta", "ContinuousBernoulli", "Pareto", "Uniform")
@formula("Gamma", "Beta", "ContinuousBernoulli", "Pareto", "Uniform")
@formula("Gumbel", "Beta", "ContinuousBernoulli", "Exponential", "Gamma", "Pareto", "Uniform")
@formula("Laplace", "Beta", "ContinuousBernoulli", "Exponential", "Gamma", "Pareto", "Uniform")
@formula("Normal", "Beta", "ContinuousBernoulli", "Exponential", "Gamma", "Pareto", "Uniform")
@formula("Pareto", "Beta", "ContinuousBernoulli", "Uniform")
@formula("Poisson", "Bernoulli", "Binomial")
def kl_infinite(p: Any, q: Any) -> Tensor:
    """p has values that are impossible under q."""
    shape = broadcast_shapes(p.batch_shape, q.batch_shape)
    return full(shape, math.inf, dtype=p.mean.dtype)


def mean_log_between(low: Tensor, high: Tensor) -> Tensor:
    """The mean of log x between two numbers."""
    return (xlogy(high, high) - xlogy(low, low)) / (high - low) - 1


def cross_normal(mean: Tensor, variance: Tensor, q: Any) -> Tensor:
    """The expectation of -log q for a normal q."""
    return q.scale.log() + HALF_LOG_2PI + 0.5 * ((mean - q.loc).pow(2) + variance) / q.scale.pow(2)


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
    return q.rate - p.probs * q.rate.log() - p.entropy()


@formula("Beta", "ContinuousBernoulli")
def kl_beta_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    return q._log_normalizer(q._bounded) - p.mean * q._bounded - p.entropy()


@formula("Beta", "Exponential")
@formula("ContinuousBernoulli", "Exponential")
@formula("Gamma", "Exponential")
def kl_to_exponential(p: Any, q: Any) -> Tensor:
    return cross_exponential(p.mean, q) - p.entropy()


@formula("Beta", "Gamma")
def kl_beta_gamma(p: Any, q: Any) -> Tensor:
    mean_log = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return cross_gamma(p.mean, mean_log, q) - p.entropy()


@formula("Beta", "Normal")
@formula("ContinuousBernoulli", "Normal")
@formula("Exponential", "Normal")
@formula("Gamma", "Normal")
@formula("Gumbel", "Normal")
@formula("Laplace", "Normal")
@formula("Uniform", "Normal")
def kl_to_normal(p: Any, q: Any) -> Tensor:
    return cross_normal(p.mean, p.variance, q) - p.entropy()


@formula("Beta", "Uniform")
@formula("ContinuousBernoulli", "Uniform")
def kl_unit_uniform(p: Any, q: Any) -> Tensor:
    found = (q.high - q.low).log() - p.entropy()
    return found.masked_fill((q.low > 0) | (q.high < 1), math.inf)


@formula("Exponential", "Gamma")
def kl_exponential_gamma(p: Any, q: Any) -> Tensor:
    return cross_gamma(p.mean, -euler_constant - p.rate.log(), q) - p.entropy()


@formula("Exponential", "Gumbel")
def kl_exponential_gumbel(p: Any, q: Any) -> Tensor:
    scaled = p.rate * q.scale
    return cross_gumbel(p.mean, scaled / (scaled + 1), q) - p.entropy()


@formula("Gamma", "Gumbel")
def kl_gamma_gumbel(p: Any, q: Any) -> Tensor:
    mean_decay = (1 + 1 / (p.rate * q.scale)).pow(-p.concentration)
    return cross_gumbel(p.mean, mean_decay, q) - p.entropy()


@formula("Normal", "Gumbel")
def kl_normal_gumbel(p: Any, q: Any) -> Tensor:
    shift, ratio = (p.loc - q.loc) / q.scale, (p.scale / q.scale).pow(2)
    return shift + (0.5 * ratio - shift).exp() - 0.5 * ratio.log() - 0.5 - HALF_LOG_2PI


@formula("Normal", "Laplace")
def kl_normal_laplace(p: Any, q: Any) -> Tensor:
    shift = p.loc - q.loc
    scaled = shift / p.scale
    distance = math.sqrt(2 / math.pi) * p.scale * (-0.5 * scaled.pow(2)).exp() + shift * (math.sqrt(0.5) * scaled).erf()
    return (2 * q.scale).log() + distance / q.scale - p.entropy()


@formula("Pareto", "Exponential")
def kl_pareto_exponential(p: Any, q: Any) -> Tensor:
    found = cross_exponential(p.scale * p.alpha / (p.alpha - 1), q) - p.entropy()
    return found.masked_fill(p.alpha <= 1, math.inf)


@formula("Pareto", "Gamma")
def kl_pareto_gamma(p: Any, q: Any) -> Tensor:
    mean_log = p.scale.log() + 1 / p.alpha
    found = cross_gamma(p.scale * p.alpha / (p.alpha - 1), mean_log, q) - p.entropy()
    return found.masked_fill(p.alpha <= 1, math.inf)


@formula("Pareto", "Normal")
def kl_pareto_normal(p: Any, q: Any) -> Tensor:
    share = p.scale / (p.alpha - 1)
    found = cross_normal(p.alpha * share, p.alpha * share.pow(2) / (p.alpha - 2), q) - p.entropy()
    return found.masked_fill(p.alpha <= 2, math.inf)


@formula("Uniform", "Beta")
def kl_uniform_beta(p: Any, q: Any) -> Tensor:
    one, zero = q.concentration1, q.concentration0
    logs = (one - 1) * mean_log_between(p.low, p.high) + (zero - 1) * mean_log_between(1 - p.high, 1 - p.low)
    found = q._log_normalizer(one, zero) - logs - p.entropy()
    return found.masked_fill((p.high > 1) | (p.low < 0), math.inf)


@formula("Uniform", "ContinuousBernoulli")
def kl_uniform_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    found = q._log_normalizer(q.logits) - p.mean * q.logits - p.entropy()
    return found.masked_fill((p.high > 1) | (p.low < 0), math.inf)


@formula("Uniform", "Exponential")
def kl_uniform_exponential(p: Any, q: Any) -> Tensor:
    return (cross_exponential(p.mean, q) - p.entropy()).masked_fill(p.low < 0, math.inf)


@formula("Uniform", "Gamma")
def kl_uniform_gamma(p: Any, q: Any) -> Tensor:
    found = cross_gamma(p.mean, mean_log_between(p.low, p.high), q) - p.entropy()
    return found.masked_fill(p.low < 0, math.inf)


@formula("Uniform", "Gumbel")
def kl_uniform_gumbel(p: Any, q: Any) -> Tensor:
    low, high = (p.low - q.loc) / q.scale, (p.high - q.loc) / q.scale
    decay = ((-low).exp() - (-high).exp()) / (high - low)
    return 0.5 * (low + high) + decay - (high - low).log()


@formula("Uniform", "Pareto")
def kl_uniform_pareto(p: Any, q: Any) -> Tensor:
    mean_log = mean_log_between(p.low, p.high)
    found = (q.alpha + 1) * mean_log - q.alpha.log() - q.alpha * q.scale.log() - p.entropy()
    return found.masked_fill(p.low < q.scale, math.inf)
