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


def shared(shape, strides):
    memory = torch.arange(1.0, 6.0)
    return memory, memory.as_strided(shape, strides)


def test_elements_that_share_a_place_are_written_row_after_row():
    memory, windows = shared((4, 2), (1, 1))
    assert windows.mul_(2) is windows and memory.tolist() == [2.0, 8.0, 12.0, 16.0, 10.0]
    memory, windows = shared((4, 2), (1, 1))
    windows += torch.tensor([10.0, 100.0])
    assert memory.tolist() == [11.0, 112.0, 113.0, 114.0, 105.0]


def test_the_dimension_of_the_smallest_steps_runs_fastest():
    memory, windows = shared((3, 2), (1, 2))
    windows.sub_(torch.arange(6.0).reshape(3, 2)).neg_()
    assert memory.tolist() == [-1.0, 0.0, -2.0, -1.0, 0.0]


def test_an_overflow_in_a_shared_place_goes_on():
    memory, windows = shared((2, 2), (1, 1))
    assert windows.exp_().shape == (2, 2)
    torch.testing.assert_close(memory[1], torch.tensor(2.0).exp().exp())


def test_halves_that_share_a_place_too():
    memory = torch.arange(1, 4).bfloat16()
    memory.unfold(0, 2, 1).mul_(2)
    assert memory.tolist() == [2.0, 8.0, 6.0]


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_what_is_joined_is_compared_with_the_part_that_out_will_have():
    x = torch.arange(6.0)
    assert torch.stack([x[4:5], x[5:6]], out=x).tolist() == [[4.0], [5.0]]
    x = torch.arange(6.0)
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
        torch.cat([x[1:5], x[5:6]], out=x[:1])


def test_a_triangle_is_cut_out_of_expanded_matrices_that_follow_each_other_but_for_the_first_dimension():
    square = torch.arange(1.0, 5).view(1, 2, 2)
    assert square.expand(2, 2, 2).tril_().tolist() == [[[1.0, 0.0], [3.0, 4.0]]] * 2
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        square.expand(3, 2, 1, 2, 2).triu_()
    columns = torch.arange(1.0, 9).view(4, 2, 1)
    assert columns.expand(2, 4, 2, 1).triu_()[1, :, :, 0].tolist() == [[1, 0], [3, 0], [5, 0], [7, 0]]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        columns.expand(4, 2, 3).expand(2, 4, 2, 3).tril_()


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.bitwise_left_shift_(1),
        lambda x: x.bitwise_right_shift_(1),
        lambda x: x.__ilshift__(1),
        lambda x: x.__irshift__(1),
        lambda x: torch.bitwise_left_shift(torch.arange(3), 1, out=x),
        lambda x: x.scatter_(0, torch.tensor([0, 1]), 3),
        lambda x: x.put_(torch.tensor([0, 1]), torch.tensor([5, 6])),
    ],
)
def test_shifts_and_scattered_writes_refuse_an_expanded_target(write):
    with pytest.raises(RuntimeError, match=EXPANDED):
        write(torch.tensor([1]).expand(3))


def test_threshold_and_index_fill_write_to_an_expanded_target_as_torch_does():
    expanded = torch.tensor([1.0]).expand(3)
    assert torch.threshold_(expanded, 0.5, 9.0).tolist() == [1, 1, 1]
    with pytest.warns(UserWarning, match="Use of index_fill_ on expanded tensors is deprecated"):
        expanded.index_fill_(0, torch.tensor([0, 1]), 2.0)
    assert expanded.tolist() == [2, 2, 2]


@pytest.mark.parametrize("name", ["add_", "div_", "pow_", "copy_"])
def test_an_operand_that_does_not_fit_a_target_with_shared_places_is_refused_by_shape(name):
    target = torch.arange(8.0).as_strided((2, 1, 2), (1, 1, 1))
    with pytest.raises(RuntimeError, match=r"output with shape \[2, 1, 2\] doesn't match the broadcast shape"):
        getattr(target, name)(torch.ones(3, 2))
