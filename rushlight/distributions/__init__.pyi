"""Probability distributions: sampling, densities and their gradients. Families are loaded when they are asked for.

Written by tools/stubs from the registry of ops: `make stubs` writes it anew.
"""

from rushlight.distributions import bernoulli as bernoulli
from rushlight.distributions import beta as beta
from rushlight.distributions import binomial as binomial
from rushlight.distributions import categorical as categorical
from rushlight.distributions import cauchy as cauchy
from rushlight.distributions import chi2 as chi2
from rushlight.distributions import choosing as choosing
from rushlight.distributions import constraint_registry as constraint_registry
from rushlight.distributions import constraints as constraints
from rushlight.distributions import continuous_bernoulli as continuous_bernoulli
from rushlight.distributions import dirichlet as dirichlet
from rushlight.distributions import distribution as distribution
from rushlight.distributions import exp_family as exp_family
from rushlight.distributions import exponential as exponential
from rushlight.distributions import fishersnedecor as fishersnedecor
from rushlight.distributions import gamma as gamma
from rushlight.distributions import generalized_pareto as generalized_pareto
from rushlight.distributions import geometric as geometric
from rushlight.distributions import gumbel as gumbel
from rushlight.distributions import half_cauchy as half_cauchy
from rushlight.distributions import half_normal as half_normal
from rushlight.distributions import independent as independent
from rushlight.distributions import inverse_gamma as inverse_gamma
from rushlight.distributions import kl as kl
from rushlight.distributions import kumaraswamy as kumaraswamy
from rushlight.distributions import laplace as laplace
from rushlight.distributions import lkj_cholesky as lkj_cholesky
from rushlight.distributions import log_normal as log_normal
from rushlight.distributions import logistic_normal as logistic_normal
from rushlight.distributions import lowrank_multivariate_normal as lowrank_multivariate_normal
from rushlight.distributions import mixture_same_family as mixture_same_family
from rushlight.distributions import multinomial as multinomial
from rushlight.distributions import multivariate_normal as multivariate_normal
from rushlight.distributions import negative_binomial as negative_binomial
from rushlight.distributions import normal as normal
from rushlight.distributions import normal_projection as normal_projection
from rushlight.distributions import one_hot_categorical as one_hot_categorical
from rushlight.distributions import pareto as pareto
from rushlight.distributions import poisson as poisson
from rushlight.distributions import relaxed_bernoulli as relaxed_bernoulli
from rushlight.distributions import relaxed_categorical as relaxed_categorical
from rushlight.distributions import squashed_normal as squashed_normal
from rushlight.distributions import studentT as studentT
from rushlight.distributions import transformed_distribution as transformed_distribution
from rushlight.distributions import transforms as transforms
from rushlight.distributions import uniform as uniform
from rushlight.distributions import utils as utils
from rushlight.distributions import von_mises as von_mises
from rushlight.distributions import weibull as weibull
from rushlight.distributions import wishart as wishart
from rushlight.distributions.bernoulli import Bernoulli as Bernoulli
from rushlight.distributions.beta import Beta as Beta
from rushlight.distributions.binomial import Binomial as Binomial
from rushlight.distributions.categorical import Categorical as Categorical
from rushlight.distributions.cauchy import Cauchy as Cauchy
from rushlight.distributions.chi2 import Chi2 as Chi2
from rushlight.distributions.choosing import epsilon_greedy as epsilon_greedy
from rushlight.distributions.choosing import greedy as greedy
from rushlight.distributions.constraint_registry import biject_to as biject_to
from rushlight.distributions.constraint_registry import transform_to as transform_to
from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
from rushlight.distributions.dirichlet import Dirichlet as Dirichlet
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.exp_family import ExponentialFamily as ExponentialFamily
from rushlight.distributions.exponential import Exponential as Exponential
from rushlight.distributions.fishersnedecor import FisherSnedecor as FisherSnedecor
from rushlight.distributions.gamma import Gamma as Gamma
from rushlight.distributions.generalized_pareto import GeneralizedPareto as GeneralizedPareto
from rushlight.distributions.geometric import Geometric as Geometric
from rushlight.distributions.gumbel import Gumbel as Gumbel
from rushlight.distributions.half_cauchy import HalfCauchy as HalfCauchy
from rushlight.distributions.half_normal import HalfNormal as HalfNormal
from rushlight.distributions.independent import Independent as Independent
from rushlight.distributions.inverse_gamma import InverseGamma as InverseGamma
from rushlight.distributions.kl import kl_divergence as kl_divergence
from rushlight.distributions.kl import register_kl as register_kl
from rushlight.distributions.kumaraswamy import Kumaraswamy as Kumaraswamy
from rushlight.distributions.laplace import Laplace as Laplace
from rushlight.distributions.lkj_cholesky import LKJCholesky as LKJCholesky
from rushlight.distributions.log_normal import LogNormal as LogNormal
from rushlight.distributions.logistic_normal import LogisticNormal as LogisticNormal
from rushlight.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal as LowRankMultivariateNormal
from rushlight.distributions.mixture_same_family import MixtureSameFamily as MixtureSameFamily
from rushlight.distributions.multinomial import Multinomial as Multinomial
from rushlight.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
from rushlight.distributions.negative_binomial import NegativeBinomial as NegativeBinomial
from rushlight.distributions.nested_transforms import CatTransform as CatTransform
from rushlight.distributions.nested_transforms import ComposeTransform as ComposeTransform
from rushlight.distributions.nested_transforms import CumulativeDistributionTransform as CumulativeDistributionTransform
from rushlight.distributions.nested_transforms import IndependentTransform as IndependentTransform
from rushlight.distributions.nested_transforms import ReshapeTransform as ReshapeTransform
from rushlight.distributions.nested_transforms import StackTransform as StackTransform
from rushlight.distributions.nested_transforms import identity_transform as identity_transform
from rushlight.distributions.normal import Normal as Normal
from rushlight.distributions.normal_projection import NormalProjection as NormalProjection
from rushlight.distributions.number_transforms import AbsTransform as AbsTransform
from rushlight.distributions.number_transforms import AffineTransform as AffineTransform
from rushlight.distributions.number_transforms import ExpTransform as ExpTransform
from rushlight.distributions.number_transforms import PowerTransform as PowerTransform
from rushlight.distributions.number_transforms import SigmoidTransform as SigmoidTransform
from rushlight.distributions.number_transforms import SoftplusTransform as SoftplusTransform
from rushlight.distributions.number_transforms import TanhTransform as TanhTransform
from rushlight.distributions.one_hot_categorical import OneHotCategorical as OneHotCategorical
from rushlight.distributions.one_hot_categorical import (
    OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough,
)
from rushlight.distributions.pareto import Pareto as Pareto
from rushlight.distributions.poisson import Poisson as Poisson
from rushlight.distributions.relaxed_bernoulli import RelaxedBernoulli as RelaxedBernoulli
from rushlight.distributions.relaxed_categorical import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from rushlight.distributions.soft_transforms import SoftclipTransform as SoftclipTransform
from rushlight.distributions.soft_transforms import SoftlowerTransform as SoftlowerTransform
from rushlight.distributions.soft_transforms import SoftsignTransform as SoftsignTransform
from rushlight.distributions.soft_transforms import SoftupperTransform as SoftupperTransform
from rushlight.distributions.soft_transforms import SquashTransform as SquashTransform
from rushlight.distributions.squashed_normal import SquashedNormal as SquashedNormal
from rushlight.distributions.studentT import StudentT as StudentT
from rushlight.distributions.transform import Transform as Transform
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.uniform import Uniform as Uniform
from rushlight.distributions.vector_transforms import CorrCholeskyTransform as CorrCholeskyTransform
from rushlight.distributions.vector_transforms import LowerCholeskyTransform as LowerCholeskyTransform
from rushlight.distributions.vector_transforms import PositiveDefiniteTransform as PositiveDefiniteTransform
from rushlight.distributions.vector_transforms import SoftmaxTransform as SoftmaxTransform
from rushlight.distributions.vector_transforms import StickBreakingTransform as StickBreakingTransform
from rushlight.distributions.von_mises import VonMises as VonMises
from rushlight.distributions.weibull import Weibull as Weibull
from rushlight.distributions.wishart import Wishart as Wishart

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "Bernoulli",
    "Beta",
    "Binomial",
    "CatTransform",
    "Categorical",
    "Cauchy",
    "Chi2",
    "ComposeTransform",
    "ContinuousBernoulli",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "Dirichlet",
    "Distribution",
    "ExpTransform",
    "Exponential",
    "ExponentialFamily",
    "FisherSnedecor",
    "Gamma",
    "GeneralizedPareto",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Independent",
    "IndependentTransform",
    "InverseGamma",
    "Kumaraswamy",
    "LKJCholesky",
    "Laplace",
    "LogNormal",
    "LogisticNormal",
    "LowRankMultivariateNormal",
    "LowerCholeskyTransform",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormal",
    "NegativeBinomial",
    "Normal",
    "NormalProjection",
    "OneHotCategorical",
    "OneHotCategoricalStraightThrough",
    "Pareto",
    "Poisson",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftclipTransform",
    "SoftlowerTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "SoftsignTransform",
    "SoftupperTransform",
    "SquashTransform",
    "SquashedNormal",
    "StackTransform",
    "StickBreakingTransform",
    "StudentT",
    "TanhTransform",
    "Transform",
    "TransformedDistribution",
    "Uniform",
    "VonMises",
    "Weibull",
    "Wishart",
    "bernoulli",
    "beta",
    "biject_to",
    "binomial",
    "categorical",
    "cauchy",
    "chi2",
    "choosing",
    "constraint_registry",
    "constraints",
    "continuous_bernoulli",
    "dirichlet",
    "distribution",
    "epsilon_greedy",
    "exp_family",
    "exponential",
    "fishersnedecor",
    "gamma",
    "generalized_pareto",
    "geometric",
    "greedy",
    "gumbel",
    "half_cauchy",
    "half_normal",
    "identity_transform",
    "independent",
    "inverse_gamma",
    "kl",
    "kl_divergence",
    "kumaraswamy",
    "laplace",
    "lkj_cholesky",
    "log_normal",
    "logistic_normal",
    "lowrank_multivariate_normal",
    "mixture_same_family",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "normal",
    "normal_projection",
    "one_hot_categorical",
    "pareto",
    "poisson",
    "register_kl",
    "relaxed_bernoulli",
    "relaxed_categorical",
    "squashed_normal",
    "studentT",
    "transform_to",
    "transformed_distribution",
    "transforms",
    "uniform",
    "utils",
    "von_mises",
    "weibull",
    "wishart",
]
