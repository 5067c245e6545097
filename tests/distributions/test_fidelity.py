"""What programs found different from torch: dtypes, orders in memory, refusals and rare values of distributions."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight import distributions as D


def turned():
    return torch.tensor([[0.25, 1.5], [0.75, 0.5], [1.25, 2.0]]).T


def rows():
    return torch.tensor([[0.25, 0.75, 1.25], [1.5, 0.5, 2.0]])


HALF = torch.tensor(0.5)
BOOLS = torch.tensor([True, False, True])

STRIDES = {
    "Normal: of value and loc alone": (lambda: D.Normal(0.5, turned().exp()).log_prob(HALF), (3, 1)),
    "Normal: of a turned loc": (lambda: D.Normal(turned(), 1.0).log_prob(HALF), (1, 2)),
    "Bernoulli: of the value": (lambda: D.Bernoulli(logits=turned()).log_prob(torch.ones(3)), (3, 1)),
    "Bernoulli: of a turned value": (lambda: D.Bernoulli(logits=rows()).log_prob(turned() * 0), (1, 2)),
    "ContinuousBernoulli": (lambda: D.ContinuousBernoulli(logits=turned()).log_prob(HALF), (3, 1)),
    "ContinuousBernoulli.cdf": (lambda: D.ContinuousBernoulli(logits=turned()).cdf(rows() / 4), (3, 1)),
    "Geometric": (lambda: D.Geometric(turned().sigmoid()).log_prob(torch.ones(3)), (3, 1)),
    "Poisson of an integer": (lambda: D.Poisson(turned()).log_prob(torch.tensor(1)), (3, 1)),
    "Weibull": (lambda: D.Weibull(0.5, turned()).log_prob(HALF), (3, 1)),
    "LogNormal": (lambda: D.LogNormal(0.5, turned()).log_prob(HALF), (3, 1)),
    "Kumaraswamy": (lambda: D.Kumaraswamy(0.5, turned()).log_prob(HALF), (3, 1)),
    "Kumaraswamy.mode": (lambda: D.Kumaraswamy(turned() + 1, turned() + 1).mode, (1, 2)),
    "Gumbel.cdf": (lambda: D.Gumbel(0.5, turned()).cdf(HALF), (1, 2)),
    "Gumbel.cdf of a turned loc": (lambda: D.Gumbel(turned(), 0.5).cdf(HALF), (3, 1)),
    "HalfNormal.cdf": (lambda: D.HalfNormal(turned()).cdf(HALF), (3, 1)),
    "HalfCauchy.cdf": (lambda: D.HalfCauchy(turned()).cdf(HALF), (3, 1)),
    "VonMises": (lambda: D.VonMises(turned(), 0.5).log_prob(HALF), (1, 2)),
    "VonMises.sample": (lambda: D.VonMises(turned(), turned()).sample((2,)), (6, 1, 2)),
    "NegativeBinomial": (lambda: D.NegativeBinomial(0.5, turned().sigmoid()).log_prob(HALF * 2), (3, 1)),
    "Gamma.cdf of mixed dtypes": (lambda: D.Gamma(torch.ones(3), rows().double()).cdf(HALF), (3, 1)),
    "divergence of Exponential and Normal": (
        lambda: D.kl_divergence(D.Exponential(turned()), D.Normal(rows(), rows())),
        (1, 2),
    ),
    "divergence of Bernoullis": (lambda: D.kl_divergence(D.Bernoulli(0.3), D.Bernoulli(logits=turned())), (1, 2)),
    "divergence of Normal and Beta": (lambda: D.kl_divergence(D.Normal(turned(), 1.0), D.Beta(rows(), 1.0)), (1, 2)),
}


@pytest.mark.parametrize("name", STRIDES)
def test_results_lie_in_memory_as_torchs(name):
    make, expected = STRIDES[name]
    assert make().stride() == expected


def test_mixed_dtypes_give_torchs():
    single, double = torch.zeros(3), torch.zeros(3, dtype=torch.float64)
    quarter = torch.tensor(0.25, dtype=torch.float64)
    assert D.Bernoulli(logits=double).log_prob(torch.ones(3)).dtype is torch.float32
    assert D.Bernoulli(logits=single).log_prob(torch.ones(3, dtype=torch.float64)).dtype is torch.float64
    assert D.Beta(single + 1, 1.0).log_prob(quarter).dtype is torch.float64
    assert D.Beta(double[0] + 1, 1.0).log_prob(single + 0.5).dtype is torch.float64
    assert D.ContinuousBernoulli(logits=single).log_prob(quarter).dtype is torch.float64
    assert D.ContinuousBernoulli(logits=double[0]).log_prob(single).dtype is torch.float32
    assert D.Geometric(logits=double[0]).log_prob(single).dtype is torch.float64
    assert D.Kumaraswamy(double[0] + 1, double[0] + 1).log_prob(single + 0.5).dtype is torch.float64
    assert D.Gamma(single[0] + 1, double[0] + 1).sample((2,)).dtype is torch.float64
    assert D.ContinuousBernoulli(logits=single).cdf(quarter).dtype is torch.float32


CASES = [
    (TypeError, r"erfinv\(\): argument 'input' \(position 1\) must be Tensor", lambda: D.Normal(0.0, 1.0).icdf(0.3)),
    (TypeError, r"erfinv\(\): argument 'input'", lambda: D.HalfNormal(1.0).icdf(0.3)),
    (TypeError, r"tan\(\): argument 'input'", lambda: D.Cauchy(0.0, 1.0).icdf(0.3)),
    (TypeError, r"tan\(\): argument 'input'", lambda: D.HalfCauchy(1.0).icdf(0.3)),
    (TypeError, r"log1p\(\): argument 'input'", lambda: D.Exponential(1.0).icdf(0.3)),
    (TypeError, r"atanh\(\): argument 'input'", lambda: D.TanhTransform().inv(0.3)),
    (RuntimeError, "Subtraction, the `-` operator, with a bool", lambda: D.Normal(0.0, 1.0).log_prob(BOOLS)),
    (RuntimeError, "Subtraction, the `-` operator, with a bool", lambda: D.HalfNormal(1.0).cdf(BOOLS)),
    (RuntimeError, "Subtraction, the `-` operator, with a bool", lambda: D.HalfCauchy(1.0).cdf(BOOLS)),
    (RuntimeError, "Subtraction, the `-` operator, with a bool", lambda: D.Beta(1.0, 2.0).log_prob(BOOLS)),
    (RuntimeError, "Subtraction, the `-` operator, with a bool", lambda: D.ContinuousBernoulli(0.3).cdf(BOOLS)),
    (RuntimeError, "Subtraction, the `-` operator, with two bool", lambda: D.Bernoulli(0.3).log_prob(BOOLS)),
    (RuntimeError, "Subtraction, the `-` operator, with two bool", lambda: D.ContinuousBernoulli(0.3).log_prob(BOOLS)),
    (RuntimeError, "result type Float can't be cast", lambda: D.Bernoulli(0.3).log_prob(torch.tensor(1))),
    (RuntimeError, "result type Float can't be cast", lambda: D.ContinuousBernoulli(0.3).log_prob(torch.tensor(1))),
    (RuntimeError, "cannot reshape tensor of 0 elements into shape", lambda: D.Dirichlet(torch.ones(2, 0, 3))),
    (RuntimeError, "cannot reshape tensor of 0 elements into shape", lambda: D.Beta(torch.ones(0), 1.0)),
    (RuntimeError, r"The size of tensor a \(2\) must match", lambda: D.Gumbel(torch.zeros(3), 1.0).cdf(torch.ones(2))),
    (RuntimeError, r"expand\(torch.FloatTensor\{\[3, 1\]\}", lambda: D.Normal(torch.zeros(3, 1), 1.0).expand((2,))),
    (
        IndexError,
        "The shape of the mask",
        lambda: D.kl_divergence(D.Bernoulli(torch.rand(3)), D.Bernoulli(torch.rand(2, 3))),
    ),
    (
        ValueError,
        "Expected value argument",
        lambda: D.Weibull(torch.tensor(math.inf), 1.0).log_prob(torch.tensor(math.inf)),
    ),
    (ValueError, "Expected value argument", lambda: D.Gumbel(0.0, 1.0).cdf(torch.tensor(math.nan))),
]


@pytest.mark.parametrize(("kind", "words", "call"), CASES)
def test_what_torch_refuses_is_refused(kind, words, call):
    with pytest.raises(kind, match=words):
        call()


def test_infinite_divergences_have_the_shape_of_the_first():
    found = D.kl_divergence(D.Normal(torch.zeros(3), 1.0), D.Beta(torch.ones(2, 3), 1.0))
    assert found.tolist() == [math.inf] * 3
    assert D.kl_divergence(D.Pareto(torch.ones(3), 1.0), D.Beta(torch.ones(2, 2), 1.0)).shape == (3,)


def test_a_gumbel_distribution_function_takes_numbers():
    found = D.Gumbel(torch.zeros(2), 1.0)
    assert np.allclose(found.cdf(1.0).numpy(), 0.692201, atol=1e-6)
    assert np.allclose(found.icdf(0.3).numpy(), -0.185627, atol=1e-6)


def test_von_mises_keeps_its_variance():
    found = D.VonMises(0.0, torch.tensor([1.0, 2.0]))
    assert found.variance is found.variance


def test_the_mode_of_a_continuous_bernoulli_leaves_its_logits_unmade():
    found = D.ContinuousBernoulli(torch.tensor([0.3, 0.6]))
    assert found.mode.tolist() == [0, 1]
    assert repr(found) == "ContinuousBernoulli(probs: torch.Size([2]))"


def test_infinite_concentrations_draw_as_torchs_do():
    torch.manual_seed(0)
    drawn = torch._standard_gamma(torch.tensor([math.inf, 1.0, 2.0]))
    assert np.allclose(drawn.numpy(), [math.inf, 0.45464, 0.62202], atol=1e-5)
    torch.manual_seed(0)
    shares = torch._sample_dirichlet(torch.tensor([[math.inf, 1.0], [2.0, 1.0]]))
    assert shares[0].tolist() == [torch.finfo(torch.float32).tiny] * 2
    assert np.allclose(shares[1].numpy(), [0.92197, 0.078031], atol=1e-5)


def test_gradients_of_the_closed_distribution_functions():
    given = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    value = torch.tensor([0.25, 2.0], dtype=torch.float64, requires_grad=True)
    for family in (D.HalfNormal, D.HalfCauchy, D.Exponential, lambda scale: D.Gumbel(0.5, scale)):
        assert torch.autograd.gradcheck(lambda scale, at, family=family: family(scale).cdf(at), (given, value))
        assert torch.autograd.gradgradcheck(lambda scale, at, family=family: family(scale).cdf(at), (given, value))


def test_the_distribution_functions_lose_no_digits_near_zero():
    assert D.HalfNormal(1.0).cdf(torch.tensor(1e-9)).item() == pytest.approx(7.9788e-10, rel=1e-4)
    assert D.HalfCauchy(1.0).cdf(torch.tensor(1e-9)).item() == pytest.approx(6.3662e-10, rel=1e-4)
    assert D.Exponential(1.0).cdf(torch.tensor(1e-9)).item() == pytest.approx(1e-9, rel=1e-4)


def test_a_gumbel_distribution_of_numbers_draws_without_gradients_for_its_mode():
    found = D.Gumbel(0.5, 2.0)
    found.mode.requires_grad = True
    assert not found.rsample().requires_grad
    assert D.Gumbel(torch.zeros(2, requires_grad=True), 2.0).rsample().requires_grad


def test_angles_of_an_endless_concentration_are_the_direction():
    found = D.VonMises(0.5, torch.tensor([math.inf, 1e20, 1e38])).sample((2,))
    assert np.allclose(found.numpy(), 0.5)
