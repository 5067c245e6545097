"""Reductions over segments that lengths or offsets mark."""

import pytest

import rushlight as torch


@pytest.mark.parametrize(
    ("reduce", "expected"), [("sum", [0.0, 6.0]), ("mean", [0.0, 2.0]), ("max", [0.0, 3.0]), ("min", [0.0, 1.0])]
)
def test_lengths_and_offsets_mark_the_same_segments(reduce, expected):
    x = torch.arange(4.0)
    for function in (torch.segment_reduce, torch._segment_reduce):
        assert function(x, reduce, lengths=torch.tensor([1, 3])).tolist() == expected
        assert function(x, reduce, offsets=torch.tensor([0, 1, 4])).tolist() == expected


def test_segments_without_elements_start_from_the_initial_value():
    x, lengths = torch.arange(4.0), torch.tensor([0, 4])
    assert torch.segment_reduce(x, "sum", lengths=lengths, initial=1.0).tolist() == [1.0, 7.0]
    assert torch.segment_reduce(x, "sum", lengths=lengths).tolist() == [0.0, 6.0]
    assert torch.segment_reduce(x, "mean", lengths=lengths).isnan().tolist() == [True, False]


def test_segments_that_are_refused():
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match="foo"):
        torch.segment_reduce(x, "foo", lengths=torch.tensor([1, 3]))
    with pytest.raises(RuntimeError, match=r"segment_reduce\(\): Either lengths or offsets must be defined"):
        torch.segment_reduce(x, "sum")
    with pytest.raises(RuntimeError, match="Expected all rows of lengths along axis to sum to data"):
        torch.segment_reduce(x, "sum", lengths=torch.tensor([1, 2]))
