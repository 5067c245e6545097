"""The facts behind the notes: AdamTF's first steps, modes and greedy actions, the slopes of transforms."""

import math
from collections import namedtuple

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.distributions import (
    AffineTransform,
    Beta,
    Categorical,
    Cauchy,
    Independent,
    Normal,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    SoftclipTransform,
    SoftplusTransform,
    SoftsignTransform,
    SquashedNormal,
    TanhTransform,
    TransformedDistribution,
    epsilon_greedy,
    greedy,
)


def first_step(make, gradient):
    param = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    param.grad = torch.tensor([gradient], dtype=torch.float64)
    make([param]).step()
    return param.item()


@pytest.mark.parametrize(
    ("gradient", "adam", "default", "small"),
    [
        (1e-2, -1.0000e-3, -9.9968e-4, -9.9997e-4),
        (1e-4, -9.9990e-4, -9.6935e-4, -9.9685e-4),
        (1e-6, -9.9010e-4, -2.4025e-4, -7.5975e-4),
        (1e-8, -5.0000e-4, -3.1523e-6, -3.0653e-5),
    ],
)
def test_first_steps_of_both_adams(gradient, adam, default, small):
    assert first_step(torch.optim.Adam, gradient) == pytest.approx(adam, rel=1e-4)
    assert first_step(torch.optim.AdamTF, gradient) == pytest.approx(default, rel=1e-4)
    assert first_step(lambda params: torch.optim.AdamTF(params, eps=1e-8), gradient) == pytest.approx(small, rel=1e-4)


def test_defaults_of_adam_tf():
    group = torch.optim.AdamTF([nn.Parameter(torch.ones(1))]).param_groups[0]
    wanted = {"lr": 1e-3, "betas": (0.9, 0.999), "eps": 1e-7, "weight_decay": 0, "amsgrad": False}
    assert {name: group[name] for name in wanted} == wanted


def test_a_parameter_without_a_gradient_neither_decays_nor_counts():
    moving, resting = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
    optimizer = torch.optim.AdamTF([moving, resting], weight_decay=0.5)
    moving.grad = torch.ones(1)
    optimizer.step()
    assert moving.item() < 1 and resting.item() == 1 and resting not in optimizer.state


def test_parameters_come_later_with_options_of_their_own_and_a_rate_that_is_asked_for():
    first, second = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.AdamTF(lr=0.1, eps=0.0)
    optimizer.add_param_group({"params": [first]})
    optimizer.add_param_group({"params": [second], "lr": 0.2})
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.5**step)
    for expected in ((-0.1, -0.2), (-0.15, -0.3)):
        first.grad, second.grad = torch.ones(1), torch.ones(1)
        optimizer.step()
        rate.step()
        assert (first.item(), second.item()) == pytest.approx(expected)
    with pytest.raises(ValueError, match="optimizer got an empty parameter list"):
        torch.optim.SGD([], lr=0.1)


def test_gradients_are_clipped_by_their_common_norm_without_a_constant():
    params = [nn.Parameter(torch.zeros(1)) for _ in range(2)]
    params[0].grad, params[1].grad = torch.tensor([3.0]), torch.tensor([4.0])
    torch.optim.SGD(params, lr=1.0, clip_norm=1.0).step()
    assert [each.item() for each in params] == pytest.approx([-0.6, -0.8], rel=1e-6)


def test_a_saturated_action_has_its_density_where_the_pair_is_remembered():
    torch.manual_seed(0)
    remembered = TransformedDistribution(Normal(12.0, 1.0), [TanhTransform()])
    action = remembered.rsample()
    assert action.item() == 1.0 and 15 < remembered.log_prob(action).item() < 27
    computed = TransformedDistribution(Normal(12.0, 1.0), [TanhTransform(cache_size=0)])
    assert not math.isfinite(computed.log_prob(action).item())
    assert TanhTransform(cache_size=0).inv(torch.tensor(1.0)).item() == math.inf


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: Categorical(logits=torch.tensor([0.1, 2.0, 1.0])), 1),
        (lambda: OneHotCategorical(torch.tensor([0.1, 0.2, 0.7])), [0.0, 0.0, 1.0]),
        (lambda: OneHotCategoricalStraightThrough(torch.tensor([0.1, 0.2, 0.7])), [0.0, 0.0, 1.0]),
        (lambda: Normal(2.0, 1.0), 2.0),
        (lambda: Cauchy(torch.tensor(3.0), 1.0), 3.0),
        (lambda: Independent(Normal(torch.tensor([1.0, 2.0]), 1.0), 1), [1.0, 2.0]),
        (lambda: TransformedDistribution(Normal(0.5, 1.0), AffineTransform(1.0, 2.0)), 2.0),
        (lambda: Beta(3.0, 2.0), 2 / 3),
        (lambda: Beta(0.5, 2.0), 0.0),
        (lambda: Beta(2.0, 0.5), 1.0),
        (lambda: Beta(0.5, 0.5), 1.0),
    ],
)
def test_modes(make, expected):
    np.testing.assert_allclose(make().mode.tolist(), expected, rtol=1e-6)
    np.testing.assert_allclose(greedy(make()).tolist(), expected, rtol=1e-6)


def test_greedy_actions_by_chance():
    torch.manual_seed(0)
    policy = Normal(torch.zeros(4000), 1.0)
    assert epsilon_greedy(policy, 0.0).eq(0).all()
    assert epsilon_greedy(policy, 1.0).ne(0).all()
    assert 0.25 < epsilon_greedy(policy, 0.3).ne(0).float().mean() < 0.35
    rows = epsilon_greedy(Independent(Normal(torch.zeros(500, 3), 1.0), 1), 0.5).ne(0)
    assert rows.any(1).equal(rows.all(1))


def test_the_slope_of_tanh_is_exact_everywhere():
    x = torch.tensor([100.0, 0.0, -100.0])
    found = TanhTransform().log_abs_det_jacobian(x, x.tanh())
    np.testing.assert_allclose(found.tolist(), [-198.61371, 0.0, -198.61371], rtol=1e-6)


def test_softsign_and_its_inverse():
    x = torch.tensor([-3.0, 0.0, 1.0], dtype=torch.float64)
    transform = SoftsignTransform(cache_size=0)
    y = transform(x)
    np.testing.assert_allclose(y.tolist(), [-0.75, 0.0, 0.5])
    np.testing.assert_allclose(transform.inv(y).tolist(), x.tolist(), rtol=1e-12)
    np.testing.assert_allclose(transform.log_abs_det_jacobian(x, y).tolist(), -2 * np.log1p(np.abs(x.numpy())))


def test_soft_bounds():
    x = np.array([-5.0, 0.2, 3.0])
    low, high, soft = -1.0, 2.0, 0.5
    wanted = x + soft * (np.log1p(np.exp((low - x) / soft)) - np.log1p(np.exp((x - high) / soft)))
    transform = SoftclipTransform(low, high, soft, cache_size=0)
    y = transform(torch.from_numpy(x))
    np.testing.assert_allclose(y.numpy(), wanted, rtol=1e-12)
    back = y.numpy() + soft * np.log(np.expm1((low - y.numpy()) / soft) / np.expm1((y.numpy() - high) / soft))
    np.testing.assert_allclose(transform.inv(y).numpy(), back, rtol=1e-9)
    np.testing.assert_allclose(transform.inv(y).numpy(), x, rtol=1e-6)
    np.testing.assert_allclose(SoftplusTransform()(torch.from_numpy(x)).numpy(), np.log1p(np.exp(x)), rtol=1e-12)


def test_the_memory_is_keyed_on_the_object():
    x = torch.tensor([0.3, 0.4])
    transform = TanhTransform(cache_size=1)
    y = transform(x)
    assert transform.inv(y) is x
    for other in (y.clone(), y.detach(), y[:]):
        transform(x)
        assert transform.inv(other) is not x


def test_a_squashed_gaussian_reaches_its_bounds():
    policy = SquashedNormal(torch.zeros(3), torch.ones(3), low=-1.0, high=3.0)
    torch.manual_seed(0)
    actions = policy.rsample((1000,))
    assert actions.min() > -1 and actions.max() < 3
    assert greedy(policy).tolist() == [1.0, 1.0, 1.0]
    base = TransformedDistribution(Normal(torch.zeros(3), 1.0), [TanhTransform(), AffineTransform(1.0, 2.0)])
    torch.manual_seed(0)
    torch.testing.assert_close(policy.log_prob(actions), base.log_prob(base.rsample((1000,))), rtol=1e-3, atol=1e-3)


def test_softsign_in_place_keeps_its_output():
    x = torch.tensor([-3.0, 0.5, 2.0], requires_grad=True)
    y = x * 1
    z = nn.Softsign(inplace=True)(y)
    assert z is y and y._version == 1
    (z * 1).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), (1 - np.abs(z.detach().numpy())) ** 2, rtol=1e-6)


def test_a_named_tuple_of_predictions_loses_its_history_too():
    step = namedtuple("step", "value other")
    weight = torch.ones((), requires_grad=True)
    with pytest.warns(UserWarning, match="stack"):
        made = torch.tensor(step(weight * 2, weight * 3), requires_grad=True)
    made.sum().backward()
    assert made.tolist() == [2.0, 3.0] and weight.grad is None


def test_devices_are_named_and_all_the_same():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(2, 1).to(device)
    assert device.type == "cpu" and net(torch.ones(1, 2).to(device)).device == device


def test_buffers_are_loaded_and_not_updated():
    norm, other = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    norm(torch.tensor([[1.0, 2.0], [3.0, 6.0]]))
    optimizer = torch.optim.SGD(norm.parameters(), lr=1.0)
    norm(torch.ones(2, 2)).sum().backward()
    mean = norm.running_mean.clone()
    optimizer.step()
    assert norm.running_mean.equal(mean) and not norm.running_mean.requires_grad
    other.load_state_dict(norm.state_dict())
    assert other.running_mean.equal(mean) and other.running_var.equal(norm.running_var)
