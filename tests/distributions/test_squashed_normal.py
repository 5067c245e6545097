"""SquashedNormal and NormalProjection: right where tanh has saturated."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.distributions import Independent, Normal, NormalProjection, SquashedNormal, kl_divergence

PLACES = [-30.0, -15.0, -9.0, -3.0, 0.0, 0.5, 8.5, 9.5, 20.0, 30.0]


def log_slope(x):
    """The logarithm of 1 - tanh(x)^2, in double precision."""
    return 2 * (math.log(2) - abs(x) - math.log1p(math.exp(-2 * abs(x))))


def exact(normal, loc, scale, half):
    """The log-density of the squashed number."""
    density = -(((normal - loc) / scale) ** 2) / 2 - math.log(scale) - math.log(2 * math.pi) / 2
    return density - log_slope(normal) - math.log(half)


def exact_slopes(noise, loc, scale):
    """Those of log_prob(rsample()) by loc and scale, where the normal number is loc + noise * scale."""
    tanh = math.tanh(loc + noise * scale)
    return 2 * tanh, 2 * tanh * noise - 1 / scale


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("scale", [0.05, 1.0, 3.0])
def test_log_prob_and_gradients_of_a_sample_are_exact_in_float32(place, scale):
    loc = torch.tensor([place], requires_grad=True)
    width = torch.tensor([scale], requires_grad=True)
    policy = SquashedNormal(loc, width, -2.0, 2.0)
    torch.manual_seed(0)
    action = policy.rsample()
    torch.manual_seed(0)
    noise = torch.randn(1).item()
    normal = float(np.float32(place) + np.float32(noise) * np.float32(scale))
    found = policy.log_prob(action)
    expected = exact(normal, place, float(np.float32(scale)), 2)
    assert found.item() == pytest.approx(expected, rel=1e-5, abs=1e-5)
    found.backward()
    expected = exact_slopes(noise, place, scale)
    # the normal number itself is rounded, by up to 2e-5 of the smallest scale
    assert [loc.grad.item(), width.grad.item()] == pytest.approx(expected, rel=3e-5, abs=1e-6)


@pytest.mark.parametrize("place", PLACES)
def test_a_whole_actor_loss_has_right_gradients(place):
    """The action's own slope too: the loss of SAC is log_prob - value(action)."""
    loc = torch.tensor([place], requires_grad=True)
    policy = SquashedNormal(loc, torch.tensor([0.5]))
    torch.manual_seed(1)
    action = policy.rsample()
    (0.1 * policy.log_prob(action) - (3 * action - action**2)).sum().backward()
    torch.manual_seed(1)
    normal = place + torch.randn(1).item() / 2
    expected = 0.2 * math.tanh(normal) - (3 - 2 * math.tanh(normal)) * math.exp(log_slope(normal))
    assert loc.grad.item() == pytest.approx(expected, rel=1e-5, abs=2e-6)


def test_the_numeric_inverse_is_finite_at_the_bounds():
    loc = torch.tensor([30.0, 0.0, -30.0], requires_grad=True)
    policy = SquashedNormal(loc, torch.ones(3), low=torch.tensor([-1.0, -2.0, 0.0]), high=torch.tensor([1.0, 2.0, 5.0]))
    action = policy.sample().clone()
    found = policy.log_prob(action)
    found.sum().backward()
    assert found.isfinite().all() and loc.grad.isfinite().all()


@pytest.mark.parametrize("place", PLACES)
def test_mode_mean_and_entropy(place):
    policy = SquashedNormal(torch.tensor([place]), torch.tensor([1.5]), -2.0, 4.0)
    assert policy.mode.tolist() == pytest.approx([1 + 3 * math.tanh(place)])

    grid = np.linspace(-10, 10, 20_001)
    weights, normal = np.exp(-grid * grid / 2) * 1e-3 / math.sqrt(2 * math.pi), place + 1.5 * grid
    assert policy.mean.item() == pytest.approx(1 + 3 * (weights @ np.tanh(normal)), rel=1e-5, abs=1e-5)
    second = 9 * (weights @ (np.tanh(normal) - weights @ np.tanh(normal)) ** 2)
    assert policy.variance.item() == pytest.approx(second, rel=1e-4, abs=1e-6)
    slope = weights @ [log_slope(each) for each in normal]
    entropy = 0.5 + 0.5 * math.log(2 * math.pi) + math.log(1.5) + math.log(3) + slope
    assert policy.entropy().item() == pytest.approx(entropy, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("scale", [0.01, 1.0, 7.0])
def test_the_entropy_is_that_of_samples_and_has_gradients(scale):
    torch.manual_seed(0)
    loc = torch.tensor([0.3], dtype=torch.float64, requires_grad=True)
    policy = SquashedNormal(loc, torch.tensor([scale], dtype=torch.float64))
    logs = policy.log_prob(policy.sample((200_000,)))
    assert abs(policy.entropy().item() + logs.mean().item()) < 5 * logs.std().item() / math.sqrt(200_000)
    scales = torch.tensor([scale], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda loc, scale: SquashedNormal(loc, scale).entropy(), (loc, scales))


def test_the_density_integrates_to_one():
    policy = SquashedNormal(torch.tensor([0.5, -1.0]), torch.tensor([0.7, 0.4]), torch.tensor([0.0, -3.0]), 2.0)
    values = torch.linspace(0, 1, 20_001, dtype=torch.float64)[1:-1, None] * (2 - policy.low) + policy.low
    total = policy.log_prob(values).exp().sum(0) * (2 - policy.low) / 20_000
    assert total.allclose(torch.ones(2, dtype=torch.float64), atol=1e-4)
    ranks = policy.cdf(torch.tensor([1.0, 0.0]))
    assert policy.icdf(ranks).allclose(torch.tensor([1.0, 0.0]), atol=1e-5)


def test_shapes_expansion_and_validation():
    policy = SquashedNormal(torch.zeros(2, 1), 1.0, torch.tensor([-1.0, -2.0, -3.0]), 3.0)
    assert policy.batch_shape == (2, 3) and policy.sample((4,)).shape == (4, 2, 3)
    larger = policy.expand((5, 2, 3))
    assert larger.sample().shape == (5, 2, 3) and larger.low is policy.low and type(larger) is SquashedNormal
    assert larger.log_prob(larger.sample()).isfinite().all()
    assert repr(policy) == "SquashedNormal(loc: torch.Size([2, 3]), scale: torch.Size([2, 3]))"
    with pytest.raises(ValueError, match="to be within the support"):
        policy.log_prob(torch.full((2, 3), 3.5))
    with pytest.raises(ValueError, match="Expected parameter scale"):
        SquashedNormal(0.0, -1.0)
    assert SquashedNormal(0.5, 1.0).high == 1 and SquashedNormal(0.5, 1.0).mode.item() == pytest.approx(math.tanh(0.5))


def test_a_projection_makes_distributions_over_actions():
    torch.manual_seed(0)
    layer = NormalProjection(8, 2, low=[-1.0, 0.0], high=[1.0, 5.0])
    policy = layer(torch.randn(6, 8))
    assert isinstance(policy, Independent) and policy.batch_shape == (6,) and policy.event_shape == (2,)
    action = policy.rsample()
    assert (action >= torch.tensor([-1.0, 0.0])).all() and (action <= torch.tensor([1.0, 5.0])).all()
    (policy.log_prob(action).mean() - action.mean()).backward()
    assert all(each.grad.isfinite().all() and (each.grad != 0).any() for each in layer.parameters())
    assert set(layer.state_dict()) == {"mean.weight", "mean.bias", "scale.weight", "scale.bias", "low", "high"}
    assert policy.entropy().shape == (6,) and policy.mode.shape == (6, 2)


def test_scales_may_be_shared_and_are_limited():
    layer = NormalProjection(3, 2, -2.0, 2.0, state_dependent=False, log_scale=(-3.0, 1.0))
    assert [name for name, _ in layer.named_parameters()] == ["shared_scale", "mean.weight", "mean.bias"]
    policy = layer(torch.randn(4, 3))
    assert policy.base_dist.scale.allclose(torch.tensor(math.exp(-1.0)))
    with torch.no_grad():
        layer.shared_scale.copy_(torch.tensor([1e6, -1e6]))
    assert layer(torch.zeros(3)).base_dist.scale.allclose(torch.tensor([math.e, math.exp(-3.0)]))
    assert "actions=2, low=-2.0, high=2.0" in repr(layer)


def test_actions_without_bounds_are_normal():
    layer = NormalProjection(3, 2, None, None)
    policy = layer(torch.zeros(3))
    assert isinstance(policy.base_dist, Normal) and kl_divergence(policy, policy).item() == 0


@pytest.mark.parametrize("state", ["float64", "deepcopy", "load"])
def test_a_projection_is_a_module(state):
    import copy

    layer = NormalProjection(3, 2, [-1.0, -2.0], [1.0, 2.0])
    features = torch.randn(4, 3)
    if state == "float64":
        layer, features = layer.double(), features.double()
        assert layer(features).sample().dtype is torch.float64
    elif state == "deepcopy":
        assert copy.deepcopy(layer)(features).mode.equal(layer(features).mode)
    else:
        other = NormalProjection(3, 2, [0.0, -2.0], [1.0, 2.0])
        other.load_state_dict(layer.state_dict())
        assert other(features).mode.equal(layer(features).mode)


@pytest.mark.parametrize(
    ("words", "bounds"),
    [
        ("give both bounds or none", (None, 1.0)),
        ("every lower bound must be below", (1.0, -1.0)),
        ("every lower bound must be below", ([0.0, 0.0], [1.0, 0.0])),
        ("a bound has to be a number or one for each of the 2 actions", ([0.0, 0.0, 0.0], 1.0)),
    ],
)
def test_wrong_bounds_are_refused(words, bounds):
    with pytest.raises(ValueError, match=words):
        NormalProjection(3, 2, *bounds)
