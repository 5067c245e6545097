"""Greedy choices: of any distribution, or nest of them."""

import math

import pytest

import rushlight as torch
from rushlight.distributions import (
    Bernoulli,
    Categorical,
    Independent,
    MixtureSameFamily,
    Normal,
    TanhTransform,
    TransformedDistribution,
    Uniform,
    epsilon_greedy,
    greedy,
)
from tests.distributions.families import ROWS, build


@pytest.mark.parametrize("name", ROWS)
def test_every_family_has_a_greedy_choice(name):
    torch.manual_seed(0)
    distribution, _ = build(torch, name, grad=True)
    try:
        distribution.mode  # noqa: B018
    except NotImplementedError:
        pytest.fail(f"{name} has no mode")
    best = greedy(distribution)
    shape = (*distribution.batch_shape, *distribution.event_shape)
    assert best.shape == shape and not best.requires_grad and not best.isnan().any()
    sometimes = epsilon_greedy(distribution, 0.5)
    assert sometimes.shape == shape and sometimes.dtype is distribution.sample().dtype


def test_the_greedy_choice_of_nests():
    loc = torch.tensor([[0.5, -1.0], [2.0, 0.0]], requires_grad=True)
    squashed = Independent(TransformedDistribution(Normal(loc, 1.0), TanhTransform()), 1)
    assert greedy(squashed).equal(loc.detach().tanh())
    peaks = Normal(torch.tensor([-2.0, 0.0, 2.0]), torch.tensor([1.0, 0.1, 1.0]))
    mixture = MixtureSameFamily(Categorical(torch.tensor([0.3, 0.2, 0.5])), peaks)
    assert greedy(mixture).item() == 0
    assert greedy(mixture.expand((2,))).tolist() == [0, 0]


def test_a_choice_that_is_not_unique_is_drawn():
    torch.manual_seed(0)
    coin = Bernoulli(torch.tensor([0.5] * 100 + [0.9]))
    found = greedy(coin)
    assert 20 < found[:100].sum() < 80 and found[100] == 1
    between = greedy(Uniform(torch.zeros(3), torch.ones(3)))
    assert ((between >= 0) & (between < 1)).all() and between.unique().numel() == 3


def test_exploration_is_decided_for_each_entry_of_the_batch():
    torch.manual_seed(0)
    policy = Independent(Normal(torch.zeros(2000, 3), torch.ones(3)), 1)
    explored = epsilon_greedy(policy, 0.3) != 0
    assert (explored.all(-1) == explored.any(-1)).all()
    assert abs(explored.all(-1).float().mean().item() - 0.3) < 4 * math.sqrt(0.21 / 2000)
    assert (epsilon_greedy(policy, 0.0) == 0).all() and (epsilon_greedy(policy, 1.0) != 0).all()
    each = epsilon_greedy(policy, torch.tensor([0.0, 1.0]).repeat(1000))
    assert (each[::2] == 0).all() and (each[1::2] != 0).all()


def test_classes_are_chosen():
    torch.manual_seed(0)
    policy = Categorical(logits=torch.tensor([0.0, 1.0, 0.5]).expand(5000, 3))
    found = epsilon_greedy(policy, 0.5)
    assert found.dtype is torch.int64
    share = (found == 1).float().mean().item()
    assert share == pytest.approx(0.5 + 0.5 * policy.probs[0, 1].item(), abs=0.03)


@pytest.mark.parametrize("eps", [-0.1, 1.5, math.nan, torch.tensor([0.5, 2.0])])
def test_eps_has_to_be_a_probability(eps):
    with pytest.raises(ValueError, match="eps has to be a probability"):
        epsilon_greedy(Normal(0.0, 1.0), eps)
