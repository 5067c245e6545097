"""The table of families: ways to make each distribution, over which every check goes.

A row is made in any library with torch's names: `build(rushlight, "Beta", "float64")`. `make` below turns numbers into
tensors of the dtype in question and remembers them, so that gradients for them can be asked for; `make.fixed` makes
tensors that take no gradients, such as counts.

To add a family, add rows: test_grid.py and tests/conformance/test_distribution_grid.py go over all of them.
"""

import numpy as np


class Parameters:
    """Makes the tensors of a row, and keeps those that are parameters."""

    def __init__(self, library, dtype="float64", grad=False):
        self.library, self.dtype, self.grad, self.made = library, dtype, grad, []

    def __call__(self, values):
        made = self.library.tensor(np.asarray(values).tolist(), dtype=getattr(self.library, self.dtype))
        self.made.append(made.requires_grad_(self.grad))
        return made

    def symmetric(self, values):
        """A matrix that stays symmetric while its elements change."""
        given = self(values)
        return (given + given.mT) / 2

    def lower(self, values):
        """A matrix that stays zero above its diagonal."""
        return self(values).tril()

    def fixed(self, values):
        return self.library.tensor(np.asarray(values).tolist(), dtype=getattr(self.library, self.dtype))


class Others(Parameters):
    """Gives the entries of a batch the parameters of their neighbours: another member of the family."""

    def __call__(self, values):
        return super().__call__(np.roll(values, 1, 0))

    def symmetric(self, values):
        return Parameters.__call__(self, values)

    lower = symmetric


def build(library, name, dtype="float64", grad=False, kind=Parameters):
    """The distribution of a row, and the tensors it was made from."""
    make = kind(library, dtype, grad)
    return ROWS[name](library.distributions, make), make.made


def numbers(*shape, low=-2.0, high=2.0, seed=0):
    """The same numbers in every run."""
    return np.random.RandomState(seed).uniform(low, high, shape)


def positive(*shape, low=0.3, high=3.0, seed=0):
    return numbers(*shape, low=low, high=high, seed=seed)


def covariance(*batch, size=3, seed=0):
    """Positive definite matrices."""
    root = numbers(*batch, size, size, seed=seed)
    return root @ np.swapaxes(root, -1, -2) + np.eye(size)


def shares(*shape, seed=0):
    """Positive numbers that sum to 1 along the last dim."""
    found = numbers(*shape, low=0.1, high=1.0, seed=seed)
    return found / found.sum(-1, keepdims=True)


# By the names of the classes; what follows a class name says what is special about the row. Rows without such words
# are paired for divergences: those of single numbers have a batch of three.
ROWS = {
    "Bernoulli": lambda d, make: d.Bernoulli(make([0.1, 0.5, 0.8])),
    "Bernoulli of logits": lambda d, make: d.Bernoulli(logits=make(numbers(2, 3) * 3)),
    "Beta": lambda d, make: d.Beta(make([2.0, 3.0, 1.5]), make([3.0, 2.0, 5.0])),
    "Beta with poles": lambda d, make: d.Beta(make([0.5, 0.8, 4.0]), make([0.5, 2.0, 0.6])),
    "Beta of numbers": lambda d, make: d.Beta(2.0, 5.0),
    "Binomial": lambda d, make: d.Binomial(10, make([0.2, 0.5, 0.9])),
    "Binomial of logits": lambda d, make: d.Binomial(make.fixed([3.0, 20.0, 7.0]), logits=make([-1.0, 0.5, 2.0])),
    "Binomial by a normal": lambda d, make: d.Binomial(100, make([0.3, 0.6])),
    "Categorical": lambda d, make: d.Categorical(make(shares(2, 4))),
    "Categorical of logits": lambda d, make: d.Categorical(logits=make(numbers(3, 5))),
    "Cauchy": lambda d, make: d.Cauchy(make([0.0, 1.0, -3.0]), make([1.0, 0.5, 4.0])),
    "Chi2": lambda d, make: d.Chi2(make([3.0, 4.5, 9.0])),
    "Chi2 with a pole": lambda d, make: d.Chi2(make(1.0)),
    "ContinuousBernoulli": lambda d, make: d.ContinuousBernoulli(make([0.1, 0.5, 0.8])),
    "ContinuousBernoulli of logits": lambda d, make: d.ContinuousBernoulli(logits=make([-3.0, 0.3, 2.0])),
    "Dirichlet": lambda d, make: d.Dirichlet(make([[2.0, 1.5, 3.0], [1.2, 4.0, 2.5]])),
    "Dirichlet with poles": lambda d, make: d.Dirichlet(make([0.5, 0.7])),
    "Exponential": lambda d, make: d.Exponential(make([0.5, 1.0, 4.0])),
    "FisherSnedecor": lambda d, make: d.FisherSnedecor(make([3.0, 5.0, 2.0]), make([9.0, 12.0, 6.0])),
    "FisherSnedecor without moments": lambda d, make: d.FisherSnedecor(make([3.0, 5.0]), make([1.5, 3.0])),
    "Gamma": lambda d, make: d.Gamma(make([2.0, 1.0, 7.5]), make([1.0, 0.5, 3.0])),
    "Gamma with a pole": lambda d, make: d.Gamma(make(0.4), make([2.0, 0.3])),
    "GeneralizedPareto": lambda d, make: d.GeneralizedPareto(
        make([0.0, 1.0, -1.0]), make([1.0, 2.0, 0.5]), make([0.2, 0.1, 0.3])
    ),
    "GeneralizedPareto with an end": lambda d, make: d.GeneralizedPareto(make([0.0, 1.0]), make(2.0), make(-0.5)),
    "Geometric": lambda d, make: d.Geometric(make([0.2, 0.5, 0.9])),
    "Geometric of logits": lambda d, make: d.Geometric(logits=make([-1.0, 0.0, 1.5])),
    "LKJCholesky": lambda d, make: d.LKJCholesky(3, make([0.5, 1.0, 3.0])),
    "LKJCholesky of pairs": lambda d, make: d.LKJCholesky(2, make(1.5)),
    "Laplace": lambda d, make: d.Laplace(make([0.0, 1.0, -3.0]), make([1.0, 0.5, 4.0])),
    "LowRankMultivariateNormal": lambda d, make: d.LowRankMultivariateNormal(
        make(numbers(2, 3)), make(numbers(2, 3, 2, seed=1)), make(positive(2, 3, seed=2))
    ),
    "LowRankMultivariateNormal of one": lambda d, make: d.LowRankMultivariateNormal(
        make(numbers(2)), make(numbers(2, 1, seed=1)), make(positive(2, seed=2))
    ),
    "Multinomial": lambda d, make: d.Multinomial(6, make(shares(2, 3))),
    "Multinomial of logits": lambda d, make: d.Multinomial(4, logits=make(numbers(3))),
    "MultivariateNormal": lambda d, make: d.MultivariateNormal(make(numbers(3)), make.symmetric(covariance())),
    "MultivariateNormal by precision": lambda d, make: d.MultivariateNormal(
        make(numbers(2, 2)), precision_matrix=make.symmetric(covariance(size=2))
    ),
    "MultivariateNormal by root": lambda d, make: d.MultivariateNormal(
        make(numbers(2)), scale_tril=make.lower(np.linalg.cholesky(covariance(3, size=2)))
    ),
    "MultivariateNormal of a batch": lambda d, make: d.MultivariateNormal(
        make(numbers(2, 3, seed=3)), make.symmetric(covariance(2, seed=1))
    ),
    "NegativeBinomial": lambda d, make: d.NegativeBinomial(make.fixed([5.0, 2.5, 0.5]), make([0.3, 0.5, 0.7])),
    "NegativeBinomial of logits": lambda d, make: d.NegativeBinomial(4, logits=make([-1.0, 0.5])),
    "Normal": lambda d, make: d.Normal(make([0.0, 1.0, -3.0]), make([1.0, 0.5, 4.0])),
    "Normal of a grid": lambda d, make: d.Normal(make(numbers(3, 1)), make(positive(2, 1, 4))),
    "OneHotCategorical": lambda d, make: d.OneHotCategorical(make(shares(2, 4))),
    "OneHotCategorical of logits": lambda d, make: d.OneHotCategorical(logits=make(numbers(3))),
    "OneHotCategoricalStraightThrough": lambda d, make: d.OneHotCategoricalStraightThrough(make(shares(2, 4))),
    "Poisson": lambda d, make: d.Poisson(make([0.3, 4.0, 9.0])),
    "Poisson of many": lambda d, make: d.Poisson(make([12.0, 60.0])),
    "StudentT": lambda d, make: d.StudentT(make([5.0, 8.0, 30.0]), make([0.0, 1.0, -2.0]), make([1.0, 0.5, 2.0])),
    "StudentT without moments": lambda d, make: d.StudentT(make([0.8, 1.5, 3.0])),
    "Uniform": lambda d, make: d.Uniform(make([0.0, -1.0, 3.0]), make([1.0, 4.0, 3.5])),
    "VonMises": lambda d, make: d.VonMises(make([0.0, 1.0, -2.0]), make([0.5, 4.0, 20.0])),
    "VonMises nearly uniform": lambda d, make: d.VonMises(make(1.0), make([1e-3, 0.05])),
    "Wishart": lambda d, make: d.Wishart(make([4.0, 6.5]), make.symmetric(covariance())),
    "Wishart by precision": lambda d, make: d.Wishart(make(5.0), precision_matrix=make.symmetric(covariance(size=2))),
    "Wishart by root": lambda d, make: d.Wishart(
        make([3.0, 4.0]), scale_tril=make.lower(np.linalg.cholesky(covariance(size=2)))
    ),
}

# made of transforms
ROWS |= {
    "ExpRelaxedCategorical": lambda d, make: d.relaxed_categorical.ExpRelaxedCategorical(
        make.fixed(0.7), make(shares(2, 3))
    ),
    "Gumbel": lambda d, make: d.Gumbel(make([0.0, 1.0, -3.0]), make([1.0, 0.5, 4.0])),
    "HalfCauchy": lambda d, make: d.HalfCauchy(make([1.0, 0.5, 4.0])),
    "HalfNormal": lambda d, make: d.HalfNormal(make([1.0, 0.5, 4.0])),
    "Independent": lambda d, make: d.Independent(d.Normal(make(numbers(2, 3)), make(positive(2, 3))), 1),
    "Independent of counts": lambda d, make: d.Independent(d.Poisson(make(positive(2, 3))), 2),
    "Independent of none": lambda d, make: d.Independent(d.Bernoulli(make([0.2, 0.7])), 0),
    "InverseGamma": lambda d, make: d.InverseGamma(make([5.0, 4.5, 7.5]), make([1.0, 0.5, 3.0])),
    "InverseGamma without moments": lambda d, make: d.InverseGamma(make([0.8, 1.5]), make([1.0, 2.0])),
    "Kumaraswamy": lambda d, make: d.Kumaraswamy(make([2.0, 3.0, 1.5]), make([3.0, 2.0, 5.0])),
    "Kumaraswamy with poles": lambda d, make: d.Kumaraswamy(make([0.5, 0.8, 4.0]), make([0.5, 2.0, 0.6])),
    "LogNormal": lambda d, make: d.LogNormal(make([0.0, 1.0, -2.0]), make([1.0, 0.5, 0.3])),
    "LogisticNormal": lambda d, make: d.LogisticNormal(make(numbers(2, 3)), make(positive(2, 3))),
    "LogisticNormal of numbers": lambda d, make: d.LogisticNormal(0.5, 2.0),
    "LogitRelaxedBernoulli": lambda d, make: d.relaxed_bernoulli.LogitRelaxedBernoulli(
        make.fixed(0.7), make([0.2, 0.5, 0.9])
    ),
    "MixtureSameFamily": lambda d, make: d.MixtureSameFamily(
        d.Categorical(make(shares(2, 3))), d.Normal(make(numbers(2, 3)), make(positive(2, 3)))
    ),
    "MixtureSameFamily of counts": lambda d, make: d.MixtureSameFamily(
        d.Categorical(logits=make(numbers(3))), d.Poisson(make([1.0, 4.0, 9.0]))
    ),
    "MixtureSameFamily of vectors": lambda d, make: d.MixtureSameFamily(
        d.Categorical(make(shares(3))), d.Independent(d.Laplace(make(numbers(3, 2)), make(positive(3, 2))), 1)
    ),
    "Pareto": lambda d, make: d.Pareto(make([1.0, 0.5, 4.0]), make([3.5, 5.0, 8.0])),
    "Pareto without moments": lambda d, make: d.Pareto(make(1.0), make([0.7, 1.5])),
    "RelaxedBernoulli": lambda d, make: d.RelaxedBernoulli(make.fixed(0.7), make([0.2, 0.5, 0.9])),
    "RelaxedBernoulli of logits": lambda d, make: d.RelaxedBernoulli(make.fixed([0.5, 1.5]), logits=make([-2.0, 0.5])),
    "RelaxedOneHotCategorical": lambda d, make: d.RelaxedOneHotCategorical(make.fixed(0.7), make(shares(2, 3))),
    "RelaxedOneHotCategorical of logits": lambda d, make: d.RelaxedOneHotCategorical(
        make.fixed(1.3), logits=make(numbers(4))
    ),
    "TransformedDistribution": lambda d, make: d.TransformedDistribution(
        d.Normal(make([0.0, 0.5, -0.3]), make([1.0, 0.5, 0.3])),
        [d.AffineTransform(0.2, make.fixed(-1.5)), d.TanhTransform()],
    ),
    "TransformedDistribution of vectors": lambda d, make: d.TransformedDistribution(
        d.Normal(make(numbers(4)), make(positive(4))), [d.ReshapeTransform((4,), (2, 2)), d.SigmoidTransform()]
    ),
    "Weibull": lambda d, make: d.Weibull(make([1.0, 0.5, 4.0]), make([1.0, 2.0, 3.5])),
    "Weibull with a pole": lambda d, make: d.Weibull(make([1.0, 0.5]), make([0.8, 0.9])),
}

# where the values lie, if that is less than the support says
RANGES = {"VonMises": (-np.pi, np.pi)}
# families whose `mean` and `variance` are not those of the numbers
WITHOUT_PLAIN_MOMENTS = {"Categorical", "VonMises"}
# families whose `mode` is the base's, transformed, or that of a component
WITHOUT_EXACT_MODES = {
    "LogisticNormal",
    "MixtureSameFamily",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "TransformedDistribution",
}
