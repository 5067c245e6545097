"""The node that a moment, a sample or a density of each family ends in is torch's."""

import pytest

import rushlight as torch

WAYS = ("mean", "variance", "stddev", "mode", "entropy", "rsample", "log_prob", "cdf", "icdf")
# torch's answers, in the order of the ways; `missing`: torch has none
NODES = {
    "Bernoulli(share)": "Sigmoid0 Mul0 Sqrt0 None BinaryCrossEntropyWithLogits0 missing Neg0 missing missing",
    "Beta(positive, positive)": "Div0 Div0 Sqrt0 Select0 Sub0 Select0 Sub0 missing missing",
    "Binomial(3, share)": "Mul0 Mul0 Sqrt0 Clamp0 Neg0 missing Sub0 missing missing",
    "Categorical(positive)": "None None None None Neg0 missing Squeeze1 missing missing",
    "Cauchy(real, positive)": "None None None None Add0 Add0 Sub0 Add0 Add0",
    "Chi2(positive)": "Div0 Div0 Sqrt0 Clamp1 Add0 Div0 Sub0 Igamma0 missing",
    "ContinuousBernoulli(share)": "Where0 Where0 Sqrt0 missing Sub0 Where0 Add0 Where0 Where0",
    "Dirichlet(positive)": "Div0 Div0 Sqrt0 CopySlices Sub0 _Dirichlet Sub0 missing missing",
    "Exponential(positive)": "Reciprocal0 Pow0 Reciprocal0 None Rsub1 Div0 Sub0 Rsub1 Div0",
    "Gamma(positive, positive)": "Div0 Div0 Sqrt0 Clamp1 Add0 Div0 Sub0 Igamma0 missing",
    "Geometric(share)": "Sub0 Div0 Sqrt0 None Div0 missing Add0 missing missing",
    "Gumbel(real, positive)": "Add0 Pow0 Mul0 None Add0 Add0 Sub0 Add0 Add0",
    "HalfCauchy(positive)": "None None None None Sub0 Abs0 Where0 Sub0 Add0",
    "HalfNormal(positive)": "Mul0 Mul0 Sqrt0 None Sub0 Abs0 Where0 Sub0 Add0",
    "InverseGamma(positive, positive)": "Where0 Where0 Sqrt0 Div0 Sub0 Pow1 Add0 Add0 missing",
    "Kumaraswamy(positive, positive)": "Mul0 Sub0 Sqrt0 Exp0 Sub0 Pow1 Add0 Add0 Pow1",
    "Laplace(real, positive)": "None Mul0 Mul0 None Add0 Sub0 Sub0 Rsub1 Sub0",
    "LogNormal(real, positive)": "Exp0 Mul0 Sqrt0 Exp0 Add0 Exp0 Add0 Mul0 Exp0",
    "NegativeBinomial(3, share)": "Mul0 Div0 Sqrt0 Clamp1 missing missing Sub0 missing missing",
    "Normal(real, positive)": "None Pow0 Exp0 None Add0 Add0 Sub0 Mul0 Add0",
    "OneHotCategorical(positive)": "Div0 Mul0 Sqrt0 None Neg0 missing Squeeze1 missing missing",
    "Pareto(positive, positive)": "Div0 Div0 Sqrt0 Exp0 Add0 Add0 Add0 Add0 Add0",
    "Poisson(positive)": "Exp0 Exp0 Sqrt0 Floor0 missing missing Sub0 missing missing",
    "StudentT(positive)": "None IndexPut0 Sqrt0 None Add0 Add0 Sub0 missing missing",
    "Uniform(real, positive + 3)": "Div0 Div0 Div0 Mul0 Log0 Add0 Sub0 Clamp1 Add0",
    "VonMises(real, positive)": "None Rsub1 Sqrt0 None missing missing Sub0 missing missing",
    "Weibull(positive, positive)": "Mul0 Mul0 Sqrt0 Mul0 Add0 Add0 Add0 Add0 Add0",
}
DIVERGENCES = {
    "Bernoulli(share) | Bernoulli(share)": "Add0",
    "Bernoulli(share) | Poisson(positive)": "Sub0",
    "Beta(positive, positive) | Beta(positive, positive)": "Add0",
    "Beta(positive, positive) | Chi2(positive)": "Add0",
    "Beta(positive, positive) | ContinuousBernoulli(share)": "Sub0",
    "Beta(positive, positive) | Exponential(positive)": "Add0",
    "Beta(positive, positive) | Gamma(positive, positive)": "Add0",
    "Beta(positive, positive) | Normal(real, positive)": "Add0",
    "Beta(positive, positive) | Uniform(real, positive + 3)": "IndexPut0",
    "Binomial(3, share) | Binomial(3, share)": "IndexPut0",
    "Categorical(positive) | Categorical(positive)": "Sum1",
    "Cauchy(real, positive) | Cauchy(real, positive)": "Sub0",
    "Chi2(positive) | Chi2(positive)": "Add0",
    "Chi2(positive) | Exponential(positive)": "Add0",
    "Chi2(positive) | Gamma(positive, positive)": "Add0",
    "Chi2(positive) | Gumbel(real, positive)": "Add0",
    "Chi2(positive) | Normal(real, positive)": "Add0",
    "ContinuousBernoulli(share) | ContinuousBernoulli(share)": "Add0",
    "ContinuousBernoulli(share) | Exponential(positive)": "Add0",
    "ContinuousBernoulli(share) | Normal(real, positive)": "Add0",
    "ContinuousBernoulli(share) | Uniform(real, positive + 3)": "Where0",
    "Dirichlet(positive) | Dirichlet(positive)": "Add0",
    "Exponential(positive) | Chi2(positive)": "Sub0",
    "Exponential(positive) | Exponential(positive)": "Sub0",
    "Exponential(positive) | Gamma(positive, positive)": "Sub0",
    "Exponential(positive) | Gumbel(real, positive)": "Add0",
    "Exponential(positive) | Normal(real, positive)": "Add0",
    "Gamma(positive, positive) | Chi2(positive)": "Add0",
    "Gamma(positive, positive) | Exponential(positive)": "Add0",
    "Gamma(positive, positive) | Gamma(positive, positive)": "Add0",
    "Gamma(positive, positive) | Gumbel(real, positive)": "Add0",
    "Gamma(positive, positive) | Normal(real, positive)": "Add0",
    "Geometric(share) | Geometric(share)": "Sub0",
    "Gumbel(real, positive) | Gumbel(real, positive)": "Sub0",
    "Gumbel(real, positive) | Normal(real, positive)": "Sub0",
    "HalfCauchy(positive) | HalfCauchy(positive)": "Sub0",
    "HalfNormal(positive) | HalfNormal(positive)": "Mul0",
    "InverseGamma(positive, positive) | InverseGamma(positive, positive)": "Add0",
    "Laplace(real, positive) | Laplace(real, positive)": "Sub0",
    "Laplace(real, positive) | Normal(real, positive)": "Sub0",
    "LogNormal(real, positive) | LogNormal(real, positive)": "Mul0",
    "Normal(real, positive) | Gumbel(real, positive)": "Sub0",
    "Normal(real, positive) | Laplace(real, positive)": "Sub0",
    "Normal(real, positive) | Normal(real, positive)": "Mul0",
    "OneHotCategorical(positive) | OneHotCategorical(positive)": "Sum1",
    "Pareto(positive, positive) | Chi2(positive)": "IndexPut0",
    "Pareto(positive, positive) | Exponential(positive)": "IndexPut0",
    "Pareto(positive, positive) | Gamma(positive, positive)": "IndexPut0",
    "Pareto(positive, positive) | Normal(real, positive)": "IndexPut0",
    "Pareto(positive, positive) | Pareto(positive, positive)": "IndexPut0",
    "Poisson(positive) | Poisson(positive)": "Sub0",
    "Uniform(real, positive + 3) | Beta(positive, positive)": "IndexPut0",
    "Uniform(real, positive + 3) | Chi2(positive)": "IndexPut0",
    "Uniform(real, positive + 3) | ContinuousBernoulli(share)": "Where0",
    "Uniform(real, positive + 3) | Exponential(positive)": "IndexPut0",
    "Uniform(real, positive + 3) | Gamma(positive, positive)": "IndexPut0",
    "Uniform(real, positive + 3) | Gumbel(real, positive)": "Sub0",
    "Uniform(real, positive + 3) | Normal(real, positive)": "Add0",
    "Uniform(real, positive + 3) | Pareto(positive, positive)": "IndexPut0",
    "Uniform(real, positive + 3) | Uniform(real, positive + 3)": "IndexPut0",
}


def parameters():
    real, leaf = torch.tensor([-0.5, 0.25], requires_grad=True), torch.tensor([0.25, 0.5], requires_grad=True)
    return {"real": real, "positive": leaf.exp(), "share": leaf.sigmoid()}


def made(text):
    torch.manual_seed(0)
    family, _, given = text.rstrip(")").partition("(")
    values = [eval(each, parameters()) for each in given.split(", ")]
    return getattr(torch.distributions, family)(*values)


def node_of(found):
    return "None" if found.grad_fn is None else found.grad_fn.name().rpartition("::")[2].replace("Backward", "")


def result(distribution, way):
    if way in ("log_prob", "cdf"):
        return getattr(distribution, way)(distribution.sample())
    if way == "icdf":
        return distribution.icdf(torch.tensor(0.3))
    found = getattr(distribution, way)
    return found() if callable(found) else found


@pytest.mark.parametrize("text", NODES)
def test_moments_samples_and_densities_end_in_torchs_nodes(text):
    for way, expected in zip(WAYS, NODES[text].split(), strict=True):
        if expected != "missing":
            assert node_of(result(made(text), way)) == expected, way


@pytest.mark.parametrize("text", DIVERGENCES)
def test_divergences_end_in_torchs_nodes(text):
    one, other = [made(each) for each in text.split(" | ")]
    assert node_of(torch.distributions.kl_divergence(one, other)) == DIVERGENCES[text]


def test_an_independent_distribution_takes_the_root_of_the_variance():
    scale = torch.ones(3, requires_grad=True)
    assert node_of(torch.distributions.Independent(torch.distributions.Normal(0.0, scale), 1).stddev) == "Sqrt0"


def test_a_density_behind_transforms_is_a_sum():
    base = torch.distributions.Normal(torch.zeros(2, requires_grad=True), 1.0)
    for transforms in ([], [torch.distributions.ExpTransform()]):
        found = torch.distributions.TransformedDistribution(base, transforms).log_prob(torch.tensor([0.5, 2.0]))
        assert node_of(found) == "Add0"
