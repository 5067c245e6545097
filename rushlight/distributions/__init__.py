"""Probability distributions: sampling, densities and their gradients."""

from rushlight.core.lazy import names_of
from rushlight.distributions import constraints, kl
from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.kl import kl_divergence, register_kl
from rushlight.distributions.normal import Normal

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "ExponentialFamily",
    "Normal",
    "constraints",
    "kl_divergence",
    "register_kl",
]

__getattr__ = names_of("rushlight.distributions")
