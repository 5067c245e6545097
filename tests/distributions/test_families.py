"""Categorical, Normal and Bernoulli: torch's numbers, and samples that follow the distribution."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.distributions import Bernoulli, Categorical, Normal, kl_divergence


def near(tensor, expected):
    return np.allclose(tensor.detach().numpy(), expected, 0, 2e-6)


def uniform(*shape, low=-1.5, high=1.5):
    return torch.tensor(np.random.RandomState(0).uniform(low, high, shape))


def categorical():
    return Categorical(logits=torch.tensor([[0.5, -1.0, 2.0, 0.0], [3.0, 1.0, -2.0, 0.0]]))


def normal():
    return Normal(torch.tensor([0.0, 10.0]), torch.tensor([1.0, 0.5]))


def coin():
    return Bernoulli(torch.tensor([0.2, 0.5, 0.9]))


def test_samples_are_torchs():
    torch.manual_seed(0)
    assert categorical().sample((6,)).tolist() == [[3, 0], [2, 0], [2, 0], [3, 0], [2, 0], [2, 0]]
    assert categorical().sample().tolist() == [2, 0]
    drawn = [*normal().sample((2,)).tolist(), normal().rsample().tolist()]
    assert np.allclose(drawn, [[0.37039, 10.72825], [0.93981, 10.38742], [0.19187, 10.6319]], atol=1e-5)
    assert coin().sample((4,)).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 1]]


def test_log_probabilities_and_entropies_are_torchs():
    assert near(categorical().entropy(), [0.878281, 0.556199])
    assert near(categorical().log_prob(torch.tensor([2, 0])), [-0.34235, -0.175515])
    assert near(normal().log_prob(torch.tensor([1.0, 9.0])), [-1.418939, -2.225791])
    assert near(normal().entropy(), [1.418939, 0.725791])
    assert near(normal().cdf(torch.tensor([1.0, 9.0])), [0.841345, 0.02275])
    assert near(normal().icdf(torch.tensor([0.1, 0.9])), [-1.281552, 10.640776])
    assert near(coin().log_prob(torch.tensor([1.0, 0.0, 1.0])), [-1.609438, -0.693147, -0.105361])
    assert near(coin().entropy(), [0.500402, 0.693147, 0.325083])


def test_divergences_are_torchs():
    assert near(kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0)), 0.443147)
    assert near(kl_divergence(Bernoulli(0.2), Bernoulli(0.7)), 0.534111)
    one, other = Categorical(torch.tensor([0.2, 0.8])), Categorical(torch.tensor([0.5, 0.5]))
    assert near(kl_divergence(one, other), 0.192745)
    certain = Categorical(torch.tensor([1.0, 0.0]))
    assert kl_divergence(one, certain).item() == math.inf
    assert kl_divergence(certain, certain).item() == pytest.approx(0, abs=1e-6)
    assert kl_divergence(Bernoulli(0.5), Bernoulli(0.0)).item() == math.inf


def test_moments_and_modes():
    assert normal().mean.tolist() == normal().mode.tolist() == [0, 10]
    assert normal().variance.tolist() == [1, 0.25] and normal().stddev.tolist() == [1, 0.5]
    assert categorical().mode.tolist() == [2, 0]
    assert categorical().mean.isnan().all() and categorical().variance.isnan().all()
    assert near(coin().mean, [0.2, 0.5, 0.9]) and near(coin().variance, [0.16, 0.25, 0.09])
    assert np.array_equal(coin().mode.numpy(), [0, math.nan, 1], equal_nan=True)
    assert near(coin().stddev, [0.4, 0.5, 0.3])
    assert near(Bernoulli(0.5).perplexity(), 2.0)


def test_texts():
    assert repr(Normal(0.0, 1.0)) == "Normal(loc: 0.0, scale: 1.0)"
    assert repr(normal()) == "Normal(loc: torch.Size([2]), scale: torch.Size([2]))"
    assert repr(categorical()) == "Categorical(logits: torch.Size([2, 4]))"
    assert repr(Bernoulli(0.5).support) == "Boolean()"
    assert repr(categorical().support) == "IntegerInterval(lower_bound=0, upper_bound=3)"


def test_all_values():
    assert categorical().enumerate_support().shape == (4, 2)
    assert categorical().enumerate_support(expand=False).tolist() == [[0], [1], [2], [3]]
    assert coin().enumerate_support().tolist() == [[0, 0, 0], [1, 1, 1]]
    assert coin().enumerate_support(expand=False).shape == (2, 1)
    assert categorical().log_prob(categorical().enumerate_support()).exp().sum(0).allclose(torch.ones(2))


def test_shapes():
    assert categorical().param_shape == (2, 4) and categorical().batch_shape == (2,)
    assert coin().param_shape == (3,) and coin().event_shape == ()
    assert normal().sample((3, 4)).shape == normal().rsample((3, 4)).shape == (3, 4, 2)
    assert Normal(0, 1).sample().shape == () and Bernoulli(0.5).sample([2]).shape == (2,)
    assert Normal(torch.zeros(3, 1), torch.ones(2)).batch_shape == (3, 2)
    assert normal().expand((5, 2)).sample().shape == (5, 2)
    assert categorical().expand([3, 2]).log_prob(torch.zeros(3, 2)).shape == (3, 2)
    assert coin().expand((2, 3)).batch_shape == (2, 3)


def test_numbers_take_the_dtype_of_the_tensor_beside_them():
    assert Normal(0, torch.ones(2, dtype=torch.float64)).loc.dtype is torch.float64
    assert Normal(0, 1).sample().dtype is torch.float32
    assert Categorical(torch.tensor([1, 2, 1])).probs.tolist() == [0.25, 0.5, 0.25]


@pytest.mark.parametrize(
    ("make", "given"),
    [
        (lambda x: Categorical(logits=x).log_prob(torch.tensor([1, 2])), uniform(2, 4)),
        (lambda x: Categorical(logits=x).entropy(), uniform(2, 4)),
        (lambda x: Categorical(probs=x).log_prob(torch.tensor(0)), uniform(3, low=0.1)),
        (lambda x: Categorical(probs=x).entropy(), uniform(2, 3, low=0.1)),
        (lambda x: Bernoulli(logits=x).log_prob(torch.tensor([1.0, 0.0], dtype=torch.float64)), uniform(2)),
        (lambda x: Bernoulli(probs=x).entropy(), uniform(3, low=0.1, high=0.9)),
        (lambda x: Normal(x, x.exp()).log_prob(x**2), uniform(3)),
        (lambda x: Normal(x[0], x[1].exp()).log_prob(x), uniform(3)),
        (lambda x: Normal(x, x.exp()).entropy(), uniform(3)),
        (lambda x: Normal(x, x.exp()).cdf(x * 2), uniform(3)),
    ],
)
def test_gradients_of_first_and_second_order(make, given):
    given.requires_grad_()
    assert torch.autograd.gradcheck(make, (given,))
    assert torch.autograd.gradgradcheck(make, (given,))


def test_only_rsample_has_gradients():
    loc = torch.zeros(3, requires_grad=True)
    assert not Normal(loc, 1.0).sample().requires_grad
    torch.manual_seed(0)
    drawn = Normal(loc, 2.0).rsample((2,))
    drawn.sum().backward()
    assert loc.grad.tolist() == [2, 2, 2]


def test_an_action_that_changes_before_backward_is_noticed():
    logits = torch.zeros(3, requires_grad=True)
    action = torch.tensor(1)
    loss = Categorical(logits=logits).log_prob(action)
    action.fill_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_impossible_classes_are_never_drawn_and_add_no_entropy():
    torch.manual_seed(0)
    sure = Categorical(logits=torch.tensor([0.0, -math.inf, 0.0]))
    assert not (sure.sample((1000,)) == 1).any()
    assert sure.entropy().item() == pytest.approx(math.log(2))
    assert sure.log_prob(torch.tensor(1)).item() == -math.inf
    assert sure.sample((1000,)).float().mean().item() == pytest.approx(1, abs=0.1)


def chi_squared(observed, expected):
    return ((observed - expected) ** 2 / expected).sum()


@pytest.mark.parametrize(
    "draw", [lambda family, n: family.sample((n,)), lambda family, n: family.expand((n,)).sample()]
)
def test_categorical_samples_follow_their_probabilities(draw):
    torch.manual_seed(0)
    probs = np.array([0.1, 0.2, 0.3, 0.4])
    drawn = draw(Categorical(torch.tensor(probs)), 20_000).numpy()
    # 16.27: exceeded once in a thousand with 3 degrees of freedom
    assert chi_squared(np.bincount(drawn, minlength=4), probs * 20_000) < 16.27


def test_bernoulli_samples_follow_their_probability():
    torch.manual_seed(0)
    drawn = Bernoulli(torch.tensor([0.1, 0.5, 0.8])).sample((20_000,)).numpy()
    for column, p in zip(drawn.T, [0.1, 0.5, 0.8], strict=True):
        observed = np.array([column.sum(), 20_000 - column.sum()])
        assert chi_squared(observed, np.array([p, 1 - p]) * 20_000) < 10.83


@pytest.mark.parametrize("name", ["sample", "rsample"])
@pytest.mark.parametrize("shape", [(20_000,), (5,)])
def test_normal_samples_follow_the_normal_distribution(name, shape):
    torch.manual_seed(0)
    family = Normal(torch.tensor(1.0, dtype=torch.float64), torch.tensor(2.0, dtype=torch.float64))
    drawn = torch.cat([getattr(family, name)(shape) for _ in range(20_000 // shape[0] // 4 + 1)])
    ranks = np.sort(family.cdf(drawn).numpy())
    steps = np.arange(1, len(ranks) + 1) / len(ranks)
    distance = max(np.abs(ranks - steps).max(), np.abs(ranks - steps + 1 / len(ranks)).max())
    # Kolmogorov-Smirnov: 1.95 is exceeded once in a thousand
    assert distance * math.sqrt(len(ranks)) < 1.95


def test_moments_of_beta_are_laid_out_by_rows():
    made = torch.distributions.Beta(torch.ones(3, 2), torch.ones(3, 2))
    assert made.mean.stride() == made.variance.stride() == (2, 1)
    assert made.mean.view(-1).tolist() == [0.5] * 6


def test_integer_parameters_count_as_the_numbers_they_are():
    made = torch.distributions.StudentT(torch.tensor([1, 3]))
    assert made.entropy().tolist() == pytest.approx([2.5310242, 1.7734777], rel=1e-5)
    normal = torch.distributions.MultivariateNormal(torch.tensor([-1, 0]), torch.eye(2))
    assert torch.distributions.kl_divergence(normal, normal).item() == 0


def test_the_base_of_a_relaxed_bernoulli_is_checked_in_any_case():
    with pytest.raises(ValueError, match="Expected parameter probs"):
        torch.distributions.RelaxedBernoulli(torch.tensor(1.0), torch.tensor([2.0]), validate_args=False)


def test_moments_of_a_continuous_bernoulli_show_what_torch_shows():
    made = torch.distributions.ContinuousBernoulli(torch.tensor([0.3]))
    made.mean  # noqa: B018
    made.rsample()
    assert repr(made) == "ContinuousBernoulli(probs: tensor([0.3000]))"
    torch.distributions.kl_divergence(made, made)
    assert "logits" in repr(made)
    assert made.icdf(torch.tensor(0.3, dtype=torch.float64)).dtype is torch.float32


def test_divergences_keep_the_layout_of_their_parameters():
    probs = torch.tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]).T
    made = torch.distributions.Bernoulli(probs)
    assert made.mode.stride() == torch.distributions.kl_divergence(made, made).stride() == (1, 3)


def test_values_beyond_the_support_are_computed_where_nobody_checks():
    made = torch.distributions.NegativeBinomial(torch.tensor(1.0), torch.tensor(0.51), validate_args=False)
    assert made.log_prob(torch.tensor(-2.25)).item() == pytest.approx(0.8016752, rel=1e-5)
    made = torch.distributions.ContinuousBernoulli(torch.tensor(0.3), validate_args=False)
    assert made.log_prob(torch.tensor(math.inf)).item() == -math.inf


def test_the_slope_of_an_affine_map_of_integers_is_a_float():
    base = torch.distributions.Categorical(torch.tensor([0.2, 0.8]))
    made = torch.distributions.TransformedDistribution(base, [torch.distributions.AffineTransform(1.0, 2.0)])
    value = made.sample((4,))
    expected = base.log_prob(((value - 1) / 2).long()) - math.log(2)
    assert torch.allclose(made.log_prob(value), expected)
