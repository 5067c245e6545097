"""Kullback-Leibler divergences between members of the same family."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.distributions.kl import formula, kl_divergence
from rushlight.distributions.utils import euler_constant, sum_rightmost
from rushlight.nn.functional import softplus
from rushlight.ops.pointwise.exponential import xlogy


@formula("ExponentialFamily", "ExponentialFamily")
def kl_exponential_families(p: Any, q: Any) -> Tensor:
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot be computed using Bregman "
            "divergences: write one with register_kl"
        )
    natural, normalizer, means = p._means_of_statistics()
    found = q._log_normalizer(*q._natural_params) - normalizer
    for ours, theirs, mean in zip(natural, q._natural_params, means, strict=True):
        found = found - sum_rightmost((theirs - ours) * mean, ours.dim() - len(p.batch_shape))
    return found


@formula("Bernoulli", "Bernoulli")
def kl_bernoulli(p: Any, q: Any) -> Tensor:
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = math.inf
    ones[p.probs == 0] = 0.0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = math.inf
    zeros[p.probs == 1] = 0.0
    return ones + zeros


@formula("Beta", "Beta")
def kl_beta(p: Any, q: Any) -> Tensor:
    return kl_dirichlet(p._dirichlet, q._dirichlet)


@formula("Binomial", "Binomial")
def kl_binomial(p: Any, q: Any) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented: write one with register_kl"
        )
    one_trial = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    found = p.total_count * one_trial
    found[p.total_count > q.total_count] = math.inf
    return found


@formula("Categorical", "Categorical")
def kl_categorical(p: Any, q: Any) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms = terms.masked_fill(q.probs == 0, math.inf)
    return terms.masked_fill(p.probs == 0, 0.0).sum(-1)


@formula("OneHotCategorical", "OneHotCategorical")
def kl_one_hot_categorical(p: Any, q: Any) -> Tensor:
    return kl_categorical(p._categorical, q._categorical)


@formula("Cauchy", "Cauchy")
def kl_cauchy(p: Any, q: Any) -> Tensor:
    square = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return square.log() - (4 * p.scale * q.scale).log()


@formula("ContinuousBernoulli", "ContinuousBernoulli")
def kl_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    _ = p.logits, q.logits  # both are shown from then on, as in torch
    ours, theirs = p._bounded, q._bounded
    return p.mean * (ours - theirs) - p._log_normalizer(ours) + q._log_normalizer(theirs)


@formula("Dirichlet", "Dirichlet")
def kl_dirichlet(p: Any, q: Any) -> Tensor:
    ours, theirs = p.concentration, q.concentration
    means = ours.digamma() - ours.sum(-1, keepdim=True).digamma()
    return q._log_normalizer(theirs) - p._log_normalizer(ours) + ((ours - theirs) * means).sum(-1)


@formula("Exponential", "Exponential")
def kl_exponential(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@formula("Gamma", "Gamma")
def kl_gamma(p: Any, q: Any) -> Tensor:
    ours, theirs = p.concentration, q.concentration
    shapes = theirs.lgamma() - ours.lgamma() + (ours - theirs) * ours.digamma()
    return theirs * (p.rate / q.rate).log() + shapes + (q.rate - p.rate) * (ours / p.rate)


@formula("Geometric", "Geometric")
def kl_geometric(p: Any, q: Any) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@formula("Gumbel", "Gumbel")
def kl_gumbel(p: Any, q: Any) -> Tensor:
    ratio, shift = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return ((1 + ratio).lgamma() - shift).exp() + shift - ratio.log() + (ratio - 1) * euler_constant - 1


@formula("Normal", "Normal")
def kl_normal(p: Any, q: Any) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    shift = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + shift - 1 - ratio.log())


@formula("HalfNormal", "HalfNormal")
def kl_half_normal(p: Any, q: Any) -> Tensor:
    return kl_normal(p.base_dist, q.base_dist)


@formula("Laplace", "Laplace")
def kl_laplace(p: Any, q: Any) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@formula("Pareto", "Pareto")
def kl_pareto(p: Any, q: Any) -> Tensor:
    ratio = q.alpha / p.alpha
    found = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    found[p.scale < q.scale] = math.inf
    return found


@formula("Poisson", "Poisson")
def kl_poisson(p: Any, q: Any) -> Tensor:
    return xlogy(p.rate, p.rate) - xlogy(p.rate, q.rate) - (p.rate - q.rate)


@formula("Uniform", "Uniform")
def kl_uniform(p: Any, q: Any) -> Tensor:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    found[(q.low > p.low) | (q.high < p.high)] = math.inf
    return found


@formula("TransformedDistribution", "TransformedDistribution")
def kl_transformed(p: Any, q: Any) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("the two distributions have other transforms or events: write one with register_kl")
    return kl_divergence(p.base_dist, q.base_dist)


@formula("Independent", "Independent")
def kl_independent(p: Any, q: Any) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("reinterpreted_batch_ndims differ: write one with register_kl")
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@formula("MultivariateNormal", "MultivariateNormal", "LowRankMultivariateNormal")
@formula("LowRankMultivariateNormal", "LowRankMultivariateNormal", "MultivariateNormal")
def kl_multivariate_normal(p: Any, q: Any) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot be "
            f"computed: {p.event_shape} and {q.event_shape}"
        )
    spread = sum(q._whitened_square(part) for part in p._root_parts())
    return 0.5 * (q._log_det() - p._log_det() + spread + q._mahalanobis(q.loc - p.loc) - p.event_shape[0])
