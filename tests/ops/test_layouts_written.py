"""Writes, copies and losses that go another way in large, turned or expanded memory give the same as the short way."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.nn import functional as F
from rushlight.ops.losses import loss_reduction

TURNS = [
    lambda x: x,
    lambda x: x.t().contiguous().t(),
    lambda x: x.repeat_interleave(2, 1)[:, ::2],
    lambda x: x[:1].expand(40, 50),
]


def whole(dtype="float32"):
    return torch.from_numpy(np.arange(2000).reshape(40, 50) % 97).to(getattr(torch, dtype))


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bool", "complex64"])
def test_parts_are_written_alike_in_any_memory(turn, dim, dtype):
    x, index = turn(whole(dtype)), torch.tensor([3, 30, 3, -1])
    expected = x.numpy().copy()
    expected[(slice(None),) * dim + (index.numpy(),)] = 1
    assert np.array_equal(x.index_fill(dim, index, 1).numpy(), expected)
    source = torch.ones([4 if d == dim else size for d, size in enumerate(x.shape)], dtype=x.dtype)
    assert np.array_equal(x.index_copy(dim, index % x.shape[dim], source).numpy(), expected)
    if 0 not in x.stride():
        y = turn(whole(dtype))
        assert y.index_fill_(dim, index, 1) is y and np.array_equal(y.numpy(), expected)
        assert y.stride() == x.stride()


@pytest.mark.parametrize("turn", TURNS[:3])
@pytest.mark.parametrize("dim", [0, 1])
def test_what_is_added_twice_counts_twice_in_any_memory(turn, dim):
    x, index = whole(), torch.arange(2000).reshape(40, 50) % 7
    expected = x.numpy().copy()
    places = [np.arange(40)[:, None], np.arange(50)]
    places[dim] = index.numpy()
    np.add.at(expected, tuple(places), 1.0)
    assert np.array_equal(turn(x).scatter_add(dim, index, torch.ones(40, 50)).numpy(), expected)
    assert np.array_equal(turn(x).scatter_add_(dim, index, torch.ones(40, 50)).numpy(), expected)
    last = turn(x).scatter_(dim, index, whole())
    expected = x.numpy().copy()
    for place in np.ndindex(40, 50):
        expected[tuple([index[place].item() if d == dim else each for d, each in enumerate(place)])] = x[place]
    assert np.array_equal(last.numpy(), expected)


@pytest.mark.parametrize("turn", TURNS[:3])
@pytest.mark.parametrize("diagonal", [-45, -3, 0, 2, 60])
def test_triangles_in_place(turn, diagonal):
    for name in ("tril", "triu"):
        x = turn(whole())
        assert getattr(x, name + "_")(diagonal) is x
        assert np.array_equal(x.numpy(), getattr(np, name)(whole().numpy(), diagonal))
        batch = torch.ones(3, 4, 5).transpose(0, 1)
        getattr(batch, name + "_")(1)
        assert np.array_equal(batch.numpy(), getattr(np, name)(np.ones((4, 3, 5)), 1))


@pytest.mark.parametrize("turn", TURNS)
def test_rolled_and_flipped(turn):
    x = turn(whole())
    assert np.array_equal(x.roll((3, -7, 2), (0, 1, 0)).numpy(), np.roll(x.numpy(), (5, -7), (0, 1)))
    assert np.array_equal(x.roll(61).numpy(), np.roll(x.numpy(), 61))
    assert np.array_equal(x.flip(0).numpy(), x.numpy()[::-1])
    assert torch.equal(x.slice_scatter(torch.zeros(2, 50), 0, 5, 7)[5:7], torch.zeros(2, 50))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("loss", [F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss])
def test_losses_round_each_step_in_half_precision(loss, dtype, monkeypatch):
    random = np.random.default_rng(0)
    x, y = (torch.from_numpy(random.normal(size=(20, 30))).to(getattr(torch, dtype)) for _ in range(2))
    found = loss(x, y, reduction="none")
    monkeypatch.setattr(loss_reduction, "MANY", x.numel() + 1)
    assert torch.equal(found, loss(x, y, reduction="none"))


def test_labels_of_many_classes():
    random = np.random.default_rng(0)
    x = torch.from_numpy(random.normal(size=(30, 200))).requires_grad_()
    labels = torch.from_numpy(random.integers(-1, 200, (30, 200)))
    loss = F.multilabel_margin_loss(x, labels, reduction="none")
    for row, given, found in zip(x.detach().numpy(), labels.numpy(), loss.tolist(), strict=True):
        ends = np.append(np.flatnonzero(given < 0), 200)[0]
        others = np.setdiff1d(np.arange(200), given[:ends])
        lacks = np.maximum(1 - row[given[:ends]][:, None] + row[others], 0)
        assert found == pytest.approx(lacks.sum() / 200)
    (slope,) = torch.autograd.grad(loss.sum(), x)
    step = torch.zeros_like(x).normal_() * 1e-7
    moved = F.multilabel_margin_loss(x + step, labels, reduction="none").sum() - loss.sum()
    assert moved.item() == pytest.approx((slope * step).sum().item(), rel=1e-4)


def test_moments_behind_the_longest_input_count_for_no_text():
    scores = torch.randn(9, 2, 5, dtype=torch.float64).log_softmax(-1).requires_grad_()
    texts, lengths, letters = torch.tensor([[1, 2], [3, 3]]), torch.tensor([4, 3]), torch.tensor([2, 2])
    found = F.ctc_loss(scores, texts, lengths, letters, reduction="none")
    short = F.ctc_loss(scores[:4], texts, lengths, letters, reduction="none")
    assert torch.equal(found, short)
    (slope,) = torch.autograd.grad(found.sum(), scores)
    assert slope[4:].count_nonzero() == 0 and slope[3, 1].count_nonzero() == 0 and slope[:3].count_nonzero() == 30
