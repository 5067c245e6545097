"""Bags of embeddings: padding, empty bags, shortened rows."""

import pytest

import rushlight as torch
from rushlight import nn


def test_bags_by_rows_and_by_offsets_agree():
    bag = nn.EmbeddingBag(5, 3, mode="sum")
    rows = torch.tensor([[1, 2], [4, 4]])
    assert torch.equal(bag(rows), bag(rows.reshape(-1), torch.tensor([0, 2])))
    torch.testing.assert_close(bag(rows), bag.weight[rows].sum(1))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_an_empty_bag_is_zero_and_padding_does_not_count(mode):
    bag = nn.EmbeddingBag(5, 3, mode=mode, padding_idx=0)
    found = bag(torch.tensor([0, 2, 0]), torch.tensor([0, 0, 2]))
    assert found[0].tolist() == [0, 0, 0] == found[2].tolist()
    torch.testing.assert_close(found[1], bag.weight[2])
    found.sum().backward()
    assert bag.weight.grad.sum().item() == 3 and bag.weight.grad[2].tolist() == [1, 1, 1]


def test_the_padding_row_is_zero_and_long_rows_are_shortened():
    bag = nn.EmbeddingBag(4, 2, padding_idx=-1, max_norm=0.5)
    assert bag.weight[3].tolist() == [0, 0] and bag.padding_idx == 3
    bag(torch.tensor([[0, 1]]))
    assert bag.weight[:2].norm(dim=1).max().item() <= 0.5001


def test_pretrained_rows_are_frozen():
    bag = nn.EmbeddingBag.from_pretrained(torch.eye(3), mode="sum")
    assert not bag.weight.requires_grad
    assert bag(torch.tensor([[0, 2]]), per_sample_weights=torch.tensor([[2.0, 3.0]])).tolist() == [[2, 0, 3]]
    assert nn.EmbeddingBag.from_pretrained(torch.eye(3), freeze=False).weight.requires_grad


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: nn.EmbeddingBag(3, 4, padding_idx=7), "padding_idx must be within"),
        (lambda: nn.EmbeddingBag(3, 4, _weight=torch.ones(2, 2)), "Shape of weight does not match"),
        (lambda: nn.EmbeddingBag.from_pretrained(torch.ones(3)), "expected to be 2-dimensional"),
    ],
)
def test_tables_that_do_not_fit(make, words):
    with pytest.raises(AssertionError, match=words):
        make()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_maxima_of_bags_of_one_size_are_those_of_bags_of_several(dtype):
    table = (torch.arange(60) * 7919 % 7).to(dtype).reshape(12, 5)
    numbers = torch.arange(24) * 5 % 12
    alike, others = table.clone().requires_grad_(), table.clone().requires_grad_()
    found = nn.functional.embedding_bag(numbers.reshape(6, 4), alike, mode="max")
    offsets = torch.tensor([*range(0, 24, 4), 24])
    expected = nn.functional.embedding_bag(numbers, others, offsets, mode="max")[:-1]  # the last bag is empty
    assert torch.equal(found, expected)
    steps = torch.arange(30).to(dtype).reshape(6, 5)
    found.backward(steps)
    expected.backward(steps)
    assert torch.equal(alike.grad, others.grad)
