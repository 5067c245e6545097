"""Samplers: torch's order from the same seed."""

import pytest

import rushlight as torch
from rushlight.utils.data import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)


def seeded(seed=7):
    return torch.Generator().manual_seed(seed)


def test_orders_are_torchs():
    assert list(SequentialSampler("abc")) == [0, 1, 2]
    assert list(RandomSampler(range(10), generator=seeded())) == [5, 0, 3, 4, 1, 7, 9, 6, 8, 2]
    assert list(RandomSampler(range(5), False, 12, generator=seeded())) == [0, 1, 3, 2, 4, 3, 4, 1, 2, 0, 3, 2]
    assert list(SubsetRandomSampler([3, 1, 4, 1, 5], seeded())) == [3, 1, 1, 4, 5]


def test_repeated_draws_are_torchs():
    drawn = list(RandomSampler(range(5), True, 40, generator=seeded()))
    assert drawn[:8] + drawn[32:] == [0, 2, 1, 1, 3, 2, 2, 4, 1, 3, 0, 1, 1, 2, 0, 0]
    weights = [0.1, 0.9, 0.4, 0.7, 3.0, 0.6]
    assert list(WeightedRandomSampler(weights, 5, True, seeded())) == [3, 3, 4, 4, 5]
    weights = [0.9, 0.4, 0.05, 0.2, 0.3, 0.1]
    assert list(WeightedRandomSampler(weights, 5, False, seeded())) == [0, 1, 3, 4, 5]


def test_shares_are_torchs():
    assert [list(DistributedSampler(range(7), 3, rank)) for rank in range(3)] == [[4, 3, 1], [0, 2, 4], [5, 6, 0]]
    dropped = [list(DistributedSampler(range(7), 3, rank, drop_last=True, seed=5)) for rank in range(3)]
    assert dropped == [[1, 2], [0, 6], [4, 5]]
    sampler = DistributedSampler(range(7), 3, 0)
    first = list(sampler)
    sampler.set_epoch(1)
    assert list(sampler) != first
    assert len(sampler) == 3


def test_shares_repeat_a_dataset_that_is_too_small():
    assert list(DistributedSampler(range(2), 5, 4, shuffle=False)) == [0]
    assert [list(DistributedSampler(range(1), 3, rank)) for rank in range(3)] == [[0], [0], [0]]


def test_batches_end_as_told():
    assert list(BatchSampler(range(7), 3, False)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(BatchSampler(range(7), 3, True)) == [[0, 1, 2], [3, 4, 5]]
    assert (len(BatchSampler(range(7), 3, False)), len(BatchSampler(range(7), 3, True))) == (3, 2)


def test_the_seed_of_an_epoch_is_drawn_when_it_begins():
    torch.manual_seed(0)
    sampler = RandomSampler(range(4))
    before = torch.get_rng_state()
    iterator = iter(sampler)
    assert torch.equal(torch.get_rng_state(), before)
    next(iterator)
    assert not torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (TypeError, "replacement should be a boolean value, but got replacement=1", lambda: RandomSampler("ab", 1)),
        (ValueError, "num_samples should be a positive integer value", lambda: RandomSampler("ab", num_samples=0)),
        (ValueError, "num_samples should be a positive integer value", lambda: RandomSampler("")),
        (ValueError, "num_samples should be a positive integer", lambda: WeightedRandomSampler([1.0], True)),
        (ValueError, "replacement should be a boolean value", lambda: WeightedRandomSampler([1.0], 1, 0)),
        (ValueError, "weights should be a 1d sequence but given", lambda: WeightedRandomSampler([[1.0]], 1)),
        (ValueError, "batch_size should be a positive integer value", lambda: BatchSampler("ab", 0, False)),
        (ValueError, "batch_size should be a positive integer value", lambda: BatchSampler("ab", True, False)),
        (ValueError, "drop_last should be a boolean value", lambda: BatchSampler("ab", 1, 0)),
        (ValueError, r"Invalid rank 2, rank should be in the interval", lambda: DistributedSampler("ab", 2, 2)),
        (NotImplementedError, "^$", lambda: iter(Sampler())),
    ],
)
def test_wrong_samplers_are_refused(kind, words, call):
    with pytest.raises(kind, match=words):
        call()


def test_a_dataset_that_grew_is_noticed():
    data = [1, 2]
    sampler = DistributedSampler(data, 2, 0)
    data += [3, 4]
    with pytest.raises(AssertionError, match="does not match total_size"):
        list(sampler)
