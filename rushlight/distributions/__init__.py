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
    from rushlight.distributions.choosing import epsilon_greedy, greedy
    from rushlight.distributions.constraint_registry import biject_to, transform_to
    from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli
    from rushlight.distributions.dirichlet import Dirichlet
    from rushlight.distributions.distribution import Distribution
    from rushlight.distributions.exp_family import ExponentialFamily
    from rushlight.distributions.exponential import Exponential
    from rushlight.distributions.fishersnedecor import FisherSnedecor
    from rushlight.distributions.gamma import Gamma
    from rushlight.distributions.generalized_pareto import GeneralizedPareto
    from rushlight.distributions.geometric import Geometric
    from rushlight.distributions.gumbel import Gumbel
    from rushlight.distributions.half_cauchy import HalfCauchy
    from rushlight.distributions.half_normal import HalfNormal
    from rushlight.distributions.independent import Independent
    from rushlight.distributions.inverse_gamma import InverseGamma
    from rushlight.distributions.kl import kl_divergence, register_kl
    from rushlight.distributions.kumaraswamy import Kumaraswamy
    from rushlight.distributions.laplace import Laplace
    from rushlight.distributions.lkj_cholesky import LKJCholesky
    from rushlight.distributions.log_normal import LogNormal
    from rushlight.distributions.logistic_normal import LogisticNormal
    from rushlight.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
    from rushlight.distributions.mixture_same_family import MixtureSameFamily
    from rushlight.distributions.multinomial import Multinomial
    from rushlight.distributions.multivariate_normal import MultivariateNormal
    from rushlight.distributions.negative_binomial import NegativeBinomial
    from rushlight.distributions.normal import Normal
    from rushlight.distributions.normal_projection import NormalProjection
    from rushlight.distributions.one_hot_categorical import OneHotCategorical, OneHotCategoricalStraightThrough
    from rushlight.distributions.pareto import Pareto
    from rushlight.distributions.poisson import Poisson
    from rushlight.distributions.relaxed_bernoulli import RelaxedBernoulli
    from rushlight.distributions.relaxed_categorical import RelaxedOneHotCategorical
    from rushlight.distributions.squashed_normal import SquashedNormal
    from rushlight.distributions.studentT import StudentT
    from rushlight.distributions.transformed_distribution import TransformedDistribution
    from rushlight.distributions.transforms import (
        AbsTransform,
        AffineTransform,
        CatTransform,
        ComposeTransform,
        CorrCholeskyTransform,
        CumulativeDistributionTransform,
        ExpTransform,
        IndependentTransform,
        LowerCholeskyTransform,
        PositiveDefiniteTransform,
        PowerTransform,
        ReshapeTransform,
        SigmoidTransform,
        SoftclipTransform,
        SoftlowerTransform,
        SoftmaxTransform,
        SoftplusTransform,
        SoftsignTransform,
        SoftupperTransform,
        SquashTransform,
        StackTransform,
        StickBreakingTransform,
        TanhTransform,
        Transform,
        identity_transform,
    )
    from rushlight.distributions.uniform import Uniform
    from rushlight.distributions.von_mises import VonMises
    from rushlight.distributions.weibull import Weibull
    from rushlight.distributions.wishart import Wishart

# the file of each name
PLACES = {
    "AbsTransform": "transforms",
    "AffineTransform": "transforms",
    "Bernoulli": "bernoulli",
    "Beta": "beta",
    "Binomial": "binomial",
    "CatTransform": "transforms",
    "Categorical": "categorical",
    "Cauchy": "cauchy",
    "Chi2": "chi2",
    "ComposeTransform": "transforms",
    "ContinuousBernoulli": "continuous_bernoulli",
    "CorrCholeskyTransform": "transforms",
    "CumulativeDistributionTransform": "transforms",
    "Dirichlet": "dirichlet",
    "Distribution": "distribution",
    "ExpTransform": "transforms",
    "Exponential": "exponential",
    "ExponentialFamily": "exp_family",
    "FisherSnedecor": "fishersnedecor",
    "Gamma": "gamma",
    "GeneralizedPareto": "generalized_pareto",
    "Geometric": "geometric",
    "Gumbel": "gumbel",
    "HalfCauchy": "half_cauchy",
    "HalfNormal": "half_normal",
    "Independent": "independent",
    "IndependentTransform": "transforms",
    "InverseGamma": "inverse_gamma",
    "Kumaraswamy": "kumaraswamy",
    "LKJCholesky": "lkj_cholesky",
    "Laplace": "laplace",
    "LogNormal": "log_normal",
    "LogisticNormal": "logistic_normal",
    "LowRankMultivariateNormal": "lowrank_multivariate_normal",
    "LowerCholeskyTransform": "transforms",
    "MixtureSameFamily": "mixture_same_family",
    "Multinomial": "multinomial",
    "MultivariateNormal": "multivariate_normal",
    "NegativeBinomial": "negative_binomial",
    "Normal": "normal",
    "NormalProjection": "normal_projection",
    "OneHotCategorical": "one_hot_categorical",
    "OneHotCategoricalStraightThrough": "one_hot_categorical",
    "Pareto": "pareto",
    "Poisson": "poisson",
    "PositiveDefiniteTransform": "transforms",
    "PowerTransform": "transforms",
    "RelaxedBernoulli": "relaxed_bernoulli",
    "RelaxedOneHotCategorical": "relaxed_categorical",
    "ReshapeTransform": "transforms",
    "SigmoidTransform": "transforms",
    "SoftclipTransform": "transforms",
    "SoftlowerTransform": "transforms",
    "SoftmaxTransform": "transforms",
    "SoftplusTransform": "transforms",
    "SoftsignTransform": "transforms",
    "SoftupperTransform": "transforms",
    "SquashTransform": "transforms",
    "SquashedNormal": "squashed_normal",
    "StackTransform": "transforms",
    "StickBreakingTransform": "transforms",
    "StudentT": "studentT",
    "TanhTransform": "transforms",
    "Transform": "transforms",
    "TransformedDistribution": "transformed_distribution",
    "Uniform": "uniform",
    "VonMises": "von_mises",
    "Weibull": "weibull",
    "Wishart": "wishart",
    "biject_to": "constraint_registry",
    "epsilon_greedy": "choosing",
    "greedy": "choosing",
    "identity_transform": "transforms",
    "kl_divergence": "kl",
    "register_kl": "kl",
    "transform_to": "constraint_registry",
}

__all__ = [*PLACES, "constraints"]

__getattr__ = names_of(
    "rushlight.distributions",
    lazy=(*PLACES.values(), "constraints", "utils"),
    elsewhere={name: f"distributions.{file}" for name, file in PLACES.items()},
)
