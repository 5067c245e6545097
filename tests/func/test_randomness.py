"""Random numbers inside of `vmap`: torch's own, in its order."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.func import grad, vmap


def seeded(function):
    torch.manual_seed(0)
    return function()


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        (lambda x: x + torch.randn(2), lambda: torch.randn(3, 2)),
        (lambda x: torch.rand((2,)), lambda: torch.rand(3, 2)),
        (lambda x: torch.randn_like(x), lambda: torch.randn(3, 2)),
        (lambda x: x.clone().normal_(), lambda: torch.randn(3, 2)),
        (lambda x: torch.nn.functional.dropout(x + 1), lambda: torch.nn.functional.dropout(torch.ones(3, 2))),
        (lambda x: torch.nn.functional.dropout(torch.ones(2)), lambda: torch.nn.functional.dropout(torch.ones(3, 2))),
        (lambda x: torch.bernoulli(x + 0.5), lambda: torch.bernoulli(torch.full((3, 2), 0.5))),
        (lambda x: torch.randperm(4), lambda: torch.stack([torch.randperm(4) for _ in range(3)])),
        (
            lambda x: torch.nn.functional.alpha_dropout(x + 1, training=True),
            lambda: torch.nn.functional.alpha_dropout(torch.ones(3, 2), training=True),
        ),
    ],
)
def test_different_draws_for_the_whole_batch(inside, outside):
    found = seeded(lambda: vmap(inside, randomness="different")(torch.zeros(3, 2)))
    torch.testing.assert_close(found, seeded(outside))


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        (lambda x: x + torch.randn(2), lambda: torch.randn(2)),
        (lambda x: torch.randn_like(x), lambda: torch.randn(2)),
        (lambda x: x.clone().normal_(), lambda: torch.randn(2)),
        (lambda x: torch.nn.functional.dropout(x + 1), lambda: torch.nn.functional.dropout(torch.ones(2))),
        (lambda x: torch.randperm(4), lambda: torch.randperm(4)),
    ],
)
def test_same_draws_once(inside, outside):
    found = seeded(lambda: vmap(inside, randomness="same")(torch.zeros(3, 2)))
    for row in found:
        torch.testing.assert_close(row, seeded(outside))


def test_same_for_a_batch_of_probabilities_is_refused():
    with pytest.raises(RuntimeError, match="does not currently support same randomness with a batched tensor input"):
        vmap(torch.bernoulli, randomness="same")(torch.full((3, 2), 0.5))


def test_features_are_dropped_for_each_sample():
    drop = lambda x: torch.nn.functional.dropout2d(x)
    found = seeded(lambda: vmap(drop, randomness="different")(torch.ones(4, 2, 3, 2, 2)))
    assert set(found.flatten(3).mean(-1).flatten().tolist()) <= {0.0, 2.0}


def test_levels_inside_and_outside_of_a_batch():
    inner = lambda x: (x * torch.randn(())).sum()
    found = seeded(lambda: vmap(grad(inner), randomness="different")(torch.zeros(3, 2)))
    expected = seeded(lambda: torch.randn(3))
    torch.testing.assert_close(found, expected[:, None].expand(3, 2))
    twice = vmap(vmap(lambda x: torch.rand(()), randomness="different"), randomness="different")(torch.zeros(2, 3))
    assert len(set(twice.flatten().tolist())) == 6
