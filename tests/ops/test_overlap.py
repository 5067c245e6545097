"""Writes to memory that several elements, or the target and an operand, have in common."""

import pytest

import rushlight as torch

SHARED = "unsupported operation: some elements of the input tensor"
EXPANDED = "unsupported operation: more than one element"


@pytest.mark.parametrize(
    "call",
    [
        lambda out: torch.arange(3.0, out=out),
        lambda out: torch.linspace(0, 1, 3, out=out),
        lambda out: torch.logspace(0, 1, 3, out=out),
        lambda out: torch.rand(3, out=out),
        lambda out: torch.randn(3, out=out),
        lambda out: torch.fft.fftfreq(3, out=out),
    ],
)
def test_numbers_that_differ_are_not_made_in_an_expanded_tensor(call):
    with pytest.raises(RuntimeError, match=EXPANDED):
        call(torch.ones(1).expand(3))


def test_an_expanded_tensor_is_filled():
    assert torch.full((3,), 2.0, out=torch.ones(1).expand(3)).tolist() == [2.0] * 3
    assert torch.zeros(3, out=torch.ones(1).expand(3)).tolist() == [0.0] * 3
    matrix, vector = torch.arange(9.0).view(3, 3), torch.ones(1).expand(3)
    vector.addmv_(torch.zeros(3, 3), torch.ones(3))
    matrix[0].addmv_(matrix, matrix[1])
    assert matrix[0].tolist() == [14.0, 51.0, 88.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda x, rows: torch.scatter(x, 0, rows, x, out=x),
        lambda x, rows: torch.scatter_add(x, 0, rows, x, out=x),
        lambda x, rows: torch.scatter_reduce(x, 0, rows, x, "sum", out=x),
        lambda x, rows: torch.index_add(torch.ones(1, 3), 0, rows[0, :1], x[:1], out=x[:1]),
        lambda x, rows: torch.index_copy(torch.ones(1, 3), 0, rows[0, :1], x[:1], out=x[:1]),
        lambda x, rows: torch.index_reduce(torch.ones(1, 3), 0, rows[0, :1], x[:1], "prod", out=x[:1]),
        lambda x, rows: torch.scatter(rows, 0, rows, 3, out=rows),
    ],
)
def test_out_of_a_scatter_is_not_what_is_scattered(call):
    with pytest.raises(RuntimeError, match=SHARED):
        call(torch.arange(9.0).view(3, 3), torch.zeros(1, 3, dtype=torch.int64))


def test_out_of_a_scatter_may_be_its_input():
    x, rows = torch.zeros(2, 3), torch.zeros(1, 3, dtype=torch.int64)
    for function in (torch.scatter, torch.scatter_add):
        function(x, 0, rows, torch.ones(1, 3), out=x)
    assert x.tolist() == [[2.0] * 3, [0.0] * 3]
