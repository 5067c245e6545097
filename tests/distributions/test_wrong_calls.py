"""Wrong parameters and values are refused in torch's words, and by name and index."""

import warnings

import pytest

import rushlight as torch
from rushlight.distributions import Categorical, Exponential, MultivariateNormal, Normal, Uniform, constraints
from tests.distributions.wrong_calls import WRONG_CALLS


@pytest.mark.parametrize(("kind", "words", "call"), WRONG_CALLS)
def test_wrong_calls_are_refused(kind, words, call):
    with pytest.raises(kind) as caught, warnings.catch_warnings():
        warnings.simplefilter("error")
        call(torch, torch.distributions)
    assert str(caught.value).startswith(words)


def last_line(call):
    with pytest.raises(ValueError) as caught:
        call()
    return str(caught.value).splitlines()[-1]


def test_the_values_that_are_wrong_are_named_with_their_indices():
    scale = torch.ones(2, 3)
    scale[0, 2], scale[1, 0] = -1.0, float("nan")
    assert last_line(lambda: Normal(0.0, scale)) == "Invalid: scale[0, 2] = -1.0, scale[1, 0] = nan"
    made = Normal(torch.zeros(3), 1.0)
    assert last_line(lambda: made.log_prob(torch.tensor([0.0, float("nan"), 1.0]))) == "Invalid: value[1] = nan"
    probs = torch.tensor([[0.5, 0.5], [-1.0, 2.0]])
    assert last_line(lambda: Categorical(probs)) == "Invalid: probs[1] = [-1.0, 2.0]"
    logits = torch.tensor([[0.5, 0.5], [0.0, float("nan")]])
    assert last_line(lambda: Categorical(logits=logits)) == "Invalid: logits[1, 0] = nan, logits[1, 1] = nan"
    ranges = Uniform(torch.tensor([0.0, 1.0]), 2.0)
    assert last_line(lambda: ranges.log_prob(torch.tensor(0.5))) == "Invalid: value[1] = 0.5"
    assert last_line(lambda: Exponential(-torch.ones(7))).endswith("rate[4] = -1.0 and 2 more")
    wide = torch.eye(30).expand(2, 30, 30) * torch.tensor([1.0, -1.0])[:, None, None]
    assert last_line(lambda: MultivariateNormal(torch.zeros(30), wide)) == "Invalid: covariance_matrix[1]"


def test_a_single_value_needs_no_index():
    assert last_line(lambda: Normal(0.0, -1.0)) == "-1.0"


def check(region, values):
    return region.check(torch.tensor(values)).tolist()


def test_regions_of_matrices():
    one, low, indefinite = [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [2.0, 3.0]], [[1.0, 2.0], [2.0, 1.0]]
    several = [one, low, indefinite]
    assert check(constraints.lower_triangular, several) == [True, True, False]
    assert check(constraints.lower_cholesky, [one, low, [[1.0, 0.0], [0.0, -1.0]]]) == [True, True, False]
    assert check(constraints.corr_cholesky, [one, low, [[1.0, 0.0], [0.6, 0.8]]]) == [True, False, True]
    assert check(constraints.square, several) == [True] * 3 and check(constraints.square, [[1.0, 2.0]]) is False
    assert check(constraints.symmetric, several) == [True, False, True]
    assert check(constraints.symmetric, [[1.0, 2.0]]) is False
    assert check(constraints.positive_definite, [one, indefinite]) == [True, False]
    assert check(constraints.positive_definite, several) == [True, False, True]
    assert check(constraints.positive_semidefinite, [one, [[1.0, 1.0], [1.0, 1.0]], indefinite]) == [True, True, False]
    assert check(constraints.positive_semidefinite, [low]) == [False]
    assert constraints.positive_definite.event_dim == 2 and repr(constraints.lower_cholesky) == "LowerCholesky()"
    with pytest.raises(ValueError, match=r"Expected value.dim\(\) >= 2 but got 1"):
        constraints.lower_cholesky.check(torch.ones(2))


def test_regions_of_vectors_and_parts():
    assert check(constraints.one_hot, [[0.0, 1.0], [1.0, 1.0], [0.5, 0.5]]) == [True, False, False]
    assert check(constraints.multinomial(3), [[1.0, 2.0], [2.0, 2.0], [-1.0, 1.0]]) == [True, False, False]
    assert constraints.multinomial(torch.tensor([3, 5])).check(torch.tensor([[2.0, 2.0], [2.0, 2.0]])).tolist() == [
        False,
        True,
    ]
    assert check(constraints._IntegerLessThan(3), [3.0, 2.5, 4.0]) == [True, False, False]
    parts = constraints.cat([constraints.positive, constraints.boolean], -1, [2, 1])
    assert check(parts, [[1.0, -1.0, 1.0]]) == [[True, False, True]]
    assert parts.is_discrete and parts.event_dim == 0
    rows = constraints.stack([constraints.positive, constraints.simplex], -1)
    assert rows.is_discrete is False and rows.event_dim == 1
    columns = constraints.stack([constraints.positive, constraints.real], 1)
    assert check(columns, [[-1.0, -1.0], [1.0, 0.0]]) == [[False, True], [True, True]]
    bounds = constraints.interval(torch.tensor([0.0, 1.0]), torch.tensor([2.0, 3.0]))
    mixture = constraints.MixtureSameFamilyConstraint(bounds)
    assert check(mixture, [1.5, 0.5]) == [True, False]
    assert mixture.event_dim == 0 and not mixture.is_discrete
    assert repr(constraints.MixtureSameFamilyConstraint(constraints.real)) == "MixtureSameFamilyConstraint(Real())"
    deep = constraints.MixtureSameFamilyConstraint(constraints.real_vector)
    with pytest.raises(ValueError, match=r"Expected value.dim\(\) >= 1 but got 0"):
        deep.check(torch.tensor(1.0))


def test_unknown_constraints_are_named():
    with pytest.raises(AttributeError, match=r"module 'torch.distributions.constraints' has no attribute 'nothing'"):
        constraints.nothing  # noqa: B018
