"""Where sums of large parts cancel, or torch approximates, the numbers here are right."""

import decimal
import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.distributions import (
    Beta,
    Binomial,
    ContinuousBernoulli,
    Kumaraswamy,
    LKJCholesky,
    Multinomial,
    MultivariateNormal,
    NegativeBinomial,
    StudentT,
    VonMises,
    Wishart,
)
from rushlight.distributions.utils import tril_matrix_to_vec, vec_to_tril_matrix


def single(value):
    return torch.tensor(value, dtype=torch.float32)


@pytest.mark.parametrize("probs", [0.1, 0.499, 0.4999, 0.5 + 1e-6, 0.501, 0.9])
def test_continuous_bernoulli_is_stable_around_one_half(probs):
    made = ContinuousBernoulli(torch.tensor(probs, dtype=torch.float64))
    with decimal.localcontext() as context:
        context.prec = 60
        p = decimal.Decimal(probs)
        x = p.ln() - (1 - p).ln()
        whole, fifth = x.exp() - 1, (x / 5).exp() - 1
        exact = [
            x / 5 - (whole / x).ln(),
            (whole + 1) / whole - 1 / x,
            1 / x**2 - 1 / ((x / 2).exp() - (-x / 2).exp()) ** 2,
            fifth / whole,
        ]
    point = torch.tensor(0.2, dtype=torch.float64)
    found = [made.log_prob(point), made.mean, made.variance, made.cdf(point)]
    np.testing.assert_allclose([each.item() for each in found], [float(each) for each in exact], 1e-11, 1e-15)
    assert made.icdf(made.cdf(point)).item() == pytest.approx(0.2, rel=1e-12)


def test_continuous_bernoulli_neither_overflows_nor_loses_its_gradient():
    logits = torch.tensor([-400.0, -1e-30, 0.0, 1e-5, 400.0], requires_grad=True)
    made = ContinuousBernoulli(logits=logits)
    found = made.log_prob(torch.tensor([0.0, 0.5, 0.5, 0.5, 1.0]))
    # as in torch, the largest probability below 1 bounds the density
    assert found.detach().numpy() == pytest.approx([2.768981, 0, 0, 0, 2.768981], abs=1e-5)
    (slope,) = torch.autograd.grad(made.entropy().sum() + made.rsample((3,)).sum(), logits)
    assert slope.isfinite().all()
    assert torch.autograd.gradcheck(
        lambda x: ContinuousBernoulli(logits=x).variance, (logits.double().detach().requires_grad_(),)
    )


def test_continuous_bernoulli_has_a_steepest_density():
    for dtype, mean, entropy, top in (
        (torch.float32, 0.9372742, -1.7689838, 2.7689815),
        (torch.float64, 0.9722559, -2.5847309, 3.5847309),
    ):
        for logits in (50.0, 1e38):
            made = ContinuousBernoulli(logits=torch.tensor([logits], dtype=dtype))
            assert made.mean.item() == pytest.approx(mean, rel=1e-6)
            assert made.entropy().item() == pytest.approx(entropy, rel=1e-6)
            assert made.log_prob(torch.ones(1, dtype=dtype)).item() == pytest.approx(top, rel=1e-6)
    logits = torch.tensor([-50.0], requires_grad=True)
    found = ContinuousBernoulli(logits=logits).log_prob(torch.tensor([0.3]))
    assert found.item() == pytest.approx(-12.231018, rel=1e-6)
    (slope,) = torch.autograd.grad(found, logits)
    assert slope.item() == pytest.approx(0.3)
    other = ContinuousBernoulli(logits=torch.tensor([0.4]))
    assert torch.distributions.kl_divergence(ContinuousBernoulli(logits=logits), other).item() > 0


def test_students_density_with_many_degrees_of_freedom_is_normal():
    found = StudentT(single([1e6, 1e8])).log_prob(single(0.0))
    assert found.numpy() == pytest.approx(-0.5 * math.log(2 * math.pi), abs=1e-5)


def test_counts_of_many_trials():
    found = Binomial(1_000_000, single(0.5)).log_prob(single(500_000.0))
    assert found.item() == pytest.approx(-0.5 * math.log(math.pi / 2 * 1e6), abs=1e-2)
    exact = math.log(math.comb(10**7 + 3, 3)) - (10**7 + 3) * math.log(2)
    found = NegativeBinomial(1e7, torch.tensor(0.5).double()).log_prob(torch.tensor(3.0).double())
    assert found.item() == pytest.approx(exact, rel=1e-12)
    assert NegativeBinomial(0, torch.tensor(0.5)).log_prob(torch.tensor([0.0, 1.0])).tolist() == [0, -math.inf]


def test_beta_near_its_upper_end():
    near = 1 - 2.0**-20
    expected = 4 * 20 * math.log(2) * -1 + math.log(5)
    assert Beta(single(1.0), single(5.0)).log_prob(single(near)).item() == pytest.approx(expected, rel=1e-6)


def angle_function(angle, concentration):
    """The distribution function of an angle around 0, by Simpson's rule."""
    t = np.linspace(-np.pi, angle, 20001)
    weights = np.where(np.arange(20001) % 2, 4, 2)
    weights[[0, -1]] = 1
    from scipy.special import i0e

    density = np.exp(concentration * (np.cos(t) - 1)) / (2 * np.pi * i0e(concentration))
    return (density * weights).sum() * (angle + np.pi) / 60000


@pytest.mark.parametrize("concentration", [1e-3, 0.5, 4.0, 60.0, 900.0])
def test_angles_follow_the_concentration_along_their_quantiles(concentration):
    torch.manual_seed(0)
    loc = torch.tensor(2.5, dtype=torch.float64, requires_grad=True)
    kappa = torch.tensor(concentration, dtype=torch.float64, requires_grad=True)
    for angle in VonMises(loc, kappa).rsample((8,)):
        slopes = torch.autograd.grad(angle, (loc, kappa), retain_graph=True)
        distance = (angle.item() - 2.5 + np.pi) % (2 * np.pi) - np.pi
        step = 1e-4 * concentration
        change = angle_function(distance, concentration + step) - angle_function(distance, concentration - step)
        density = math.exp(VonMises(0.0, kappa.detach()).log_prob(torch.tensor(distance, dtype=torch.float64)).item())
        assert slopes[0].item() == 1
        assert slopes[1].item() == pytest.approx(-change / (2 * step) / density, rel=2e-4, abs=1e-9)


def test_angles_of_parameters_that_are_no_numbers():
    made = VonMises(torch.tensor([0.0, math.nan]), torch.tensor([math.nan, 1.0]), validate_args=False)
    assert made.sample((2,)).isnan().all()


def test_angles_of_a_large_concentration_have_finite_densities():
    assert VonMises(single(0.0), single(1e4)).log_prob(single(0.0)).item() == pytest.approx(
        0.5 * math.log(1e4 / (2 * math.pi)), rel=1e-4
    )


def test_the_likeliest_counts():
    probs = torch.tensor([[0.5, 0.3, 0.2], [0.9, 0.05, 0.05]])
    assert Multinomial(10, probs).mode.tolist() == [[5, 3, 2], [10, 0, 0]]
    assert Multinomial(1000, probs).mode.sum(-1).tolist() == [1000, 1000]
    impossible = Multinomial(3, torch.tensor([0.0, 1.0]))
    assert impossible.log_prob(torch.tensor([0.0, 3.0])).item() == pytest.approx(0, abs=1e-6)


def test_the_mode_of_correlations_is_none_at_all():
    modes = LKJCholesky(3, torch.tensor([0.5, 2.0])).mode
    assert modes[0].isnan().all() and modes[1].tolist() == torch.eye(3).tolist()


def test_where_a_density_has_no_peak_its_mode_has_no_slope():
    one = torch.tensor([1.5, 0.5, 0.5, 2.0], requires_grad=True)
    zero = torch.tensor([0.5, 2.0, 0.5, 2.0], requires_grad=True)
    found = Kumaraswamy(one, zero).mode
    found.sum().backward()
    assert found.isnan().tolist() == [True, True, True, False]
    assert one.grad[:3].tolist() == zero.grad[:3].tolist() == [0, 0, 0]
    assert one.grad[3].item() == pytest.approx(0.2548, abs=1e-4)
    assert zero.grad[3].item() == pytest.approx(-0.1925, abs=1e-4)


def test_three_ways_to_give_a_covariance():
    covariance = torch.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=torch.float64)
    root = torch.linalg.cholesky(covariance)
    for family, first in ((MultivariateNormal, torch.zeros(2).double()), (Wishart, torch.tensor(3.0).double())):
        for name, given in (
            ("covariance_matrix", covariance),
            ("precision_matrix", covariance.inverse()),
            ("scale_tril", root),
        ):
            made = family(first, **{name: given})
            assert made.covariance_matrix.allclose(covariance) and made.scale_tril.allclose(root)
            assert made.precision_matrix.allclose(covariance.inverse())


def test_triangles_and_vectors():
    for diag in (-1, 0, 1):
        matrix = torch.arange(1.0, 17).reshape(4, 4).tril(diag)
        assert vec_to_tril_matrix(tril_matrix_to_vec(matrix, diag), diag).tolist() == matrix.tolist()


def test_the_entropy_of_fisher_snedecor_is_that_of_its_samples():
    torch.manual_seed(0)
    made = torch.distributions.FisherSnedecor(torch.tensor([3.0, 5.0, 30.0]), torch.tensor([4.0, 9.0, 2.0]))
    estimate = -made.log_prob(made.sample((200000,))).mean(0)
    assert made.entropy().tolist() == pytest.approx(estimate.tolist(), abs=0.02)


def test_the_share_below_of_a_half_cauchy_with_a_large_scale_has_a_slope():
    value = torch.tensor([1.5, 1.5, 1.5]).requires_grad_()
    scale = torch.tensor([2.0, 1e30, math.inf]).requires_grad_()
    torch.distributions.HalfCauchy(scale).cdf(value).sum().backward()
    assert value.grad.tolist() == pytest.approx([0.20371832, 6.3661975e-31, 0.0], rel=1e-5, abs=0)
    assert scale.grad.tolist() == pytest.approx([-0.15278875, 0.0, 0.0], rel=1e-5, abs=1e-45)
