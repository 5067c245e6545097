"""Indices that are true or false, alone and among others."""

import pytest

import rushlight as torch


@pytest.mark.parametrize(
    ("index", "shape"),
    [
        ((False, slice(None), True), (0, 2, 3)),
        ((True, slice(None)), (1, 2, 3)),
        ((slice(None), False), (2, 0, 3)),
        ((True, 0), (1, 3)),
        ((False, 0), (0, 3)),
        ((True, True), (1, 2, 3)),
        ((True, False), (0, 2, 3)),
        ((True, torch.tensor([0, 1])), (2, 3)),
        ((torch.tensor([True, False]), True), (1, 3)),
        ((Ellipsis, False), (2, 3, 0)),
    ],
)
def test_parts_by_truth(index, shape):
    x = torch.arange(6.0).view(2, 3)
    assert x[index].shape == shape
    written = x.clone()
    written[index] = 7.0
    expected = x.clone()
    if 0 not in shape:
        expected[: 1 if shape in ((1, 3),) else None] = 7.0
    assert torch.equal(written, expected)


def test_falsehood_and_positions_do_not_fit():
    with pytest.raises(IndexError, match="shape mismatch: indexing tensors could not be broadcast together"):
        torch.ones(2, 3)[False, torch.tensor([0, 1])]


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("mask", [torch.tensor(True), torch.tensor(False), torch.empty(0, dtype=torch.bool)])
def test_a_number_is_not_put_under_a_mask(mask, accumulate):
    for value in (torch.tensor(2.0), torch.empty(0)):
        with pytest.raises(IndexError, match="too many indices for tensor of dimension 0"):
            torch.tensor(3.0).index_put_((mask,), value, accumulate=accumulate)


def test_a_number_by_truth():
    x = torch.tensor(3.0)
    assert x[True].tolist() == [3.0] and x[False].shape == (0,)
    assert x[torch.tensor(True)].tolist() == [3.0] and x[torch.tensor(False)].shape == (0,)
    for index, expected in ((True, 2.0), (False, 3.0), (torch.tensor(True), 2.0), (torch.tensor(False), 3.0)):
        written = x.clone()
        written[index] = 2.0
        assert written.item() == expected
