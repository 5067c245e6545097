"""Probability distributions: sampling, densities and their gradients. Families are loaded when they are asked for."""

from typing import TYPE_CHECKING

from rushlight.core.lazy import names_of

if TYPE_CHECKING:
    from rushlight.distributions.bernoulli import Bernoulli
    from rushlight.distributions.beta import Beta
    from rushlight.distributions.binomial import Binomial
    from rushlight.distributions.categorical import Categorical
    from rushlight.distributions.cauchy import Cauchy
    from rushlight.distributions.chi2 import Chi2
    from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli
    from rushlight.distributions.dirichlet import Dirichlet
    from rushlight.distributions.distribution import Distribution
    from rushlight.distributions.exp_family import ExponentialFamily
    from rushlight.distributions.exponential import Exponential
    from rushlight.distributions.fishersnedecor import FisherSnedecor
    from rushlight.distributions.gamma import Gamma
    from rushlight.distributions.generalized_pareto import GeneralizedPareto
    from rushlight.distributions.geometric import Geometric
    from rushlight.distributions.kl import kl_divergence, register_kl
    from rushlight.distributions.laplace import Laplace
    from rushlight.distributions.lkj_cholesky import LKJCholesky
    from rushlight.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
    from rushlight.distributions.multinomial import Multinomial
    from rushlight.distributions.multivariate_normal import MultivariateNormal
    from rushlight.distributions.negative_binomial import NegativeBinomial
    from rushlight.distributions.normal import Normal
    from rushlight.distributions.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
    from rushlight.distributions.poisson import Poisson
    from rushlight.distributions.studentT import StudentT
    from rushlight.distributions.uniform import Uniform
    from rushlight.distributions.von_mises import VonMises
    from rushlight.distributions.wishart import Wishart

# the file of each name
PLACES = {
    "Bernoulli": "bernoulli",
    "Beta": "beta",
    "Binomial": "binomial",
    "Categorical": "categorical",
    "Cauchy": "cauchy",
    "Chi2": "chi2",
    "ContinuousBernoulli": "continuous_bernoulli",
    "Dirichlet": "dirichlet",
    "Distribution": "distribution",
    "Exponential": "exponential",
    "ExponentialFamily": "exp_family",
    "FisherSnedecor": "fishersnedecor",
    "Gamma": "gamma",
    "GeneralizedPareto": "generalized_pareto",
    "Geometric": "geometric",
    "LKJCholesky": "lkj_cholesky",
    "Laplace": "laplace",
    "LowRankMultivariateNormal": "lowrank_multivariate_normal",
    "Multinomial": "multinomial",
    "MultivariateNormal": "multivariate_normal",
    "NegativeBinomial": "negative_binomial",
    "Normal": "normal",
    "OneHotCategorical": "one_hot_categorical",
    "OneHotCategoricalStraightThrough": "one_hot_categorical",
    "Poisson": "poisson",
    "StudentT": "studentT",
    "Uniform": "uniform",
    "VonMises": "von_mises",
    "Wishart": "wishart",
    "kl_divergence": "kl",
    "register_kl": "kl",
}

__all__ = [*PLACES, "constraints"]

__getattr__ = names_of(
    "rushlight.distributions",
    lazy=(*PLACES.values(), "constraints", "utils"),
    elsewhere={name: f"distributions.{file}" for name, file in PLACES.items()},
)
