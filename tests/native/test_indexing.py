"""Indexing and writing that native code does itself, and the fields that tell where elements lie: torch's answers."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch

# slices of arange(12) as three rows of four: the values, the strides and where the first one lies
SLICES = [
    (np.s_[::2], [[0, 1, 2, 3], [8, 9, 10, 11]], (8, 1), 0),
    (np.s_[..., ::2], [[0, 2], [4, 6], [8, 10]], (4, 2), 0),
    (np.s_[:, -3:-1], [[1, 2], [5, 6], [9, 10]], (4, 1), 1),
    (np.s_[1:, ::3], [[4, 7], [8, 11]], (4, 3), 4),
    (np.s_[..., ::40], [[0], [4], [8]], (4, 40), 0),
    (np.s_[:, 2:40], [[2, 3], [6, 7], [10, 11]], (4, 1), 2),
    (np.s_[0, 1::2], [1, 3], (2,), 1),
    (np.s_[-1, ::3], [8, 11], (3,), 8),
    (np.s_[::2, None, ::3], [[[0, 3]], [[8, 11]]], (8, 4, 3), 0),
    (np.s_[:, 1], [1, 5, 9], (4,), 1),
    (np.s_[..., None, -1], [[3], [7], [11]], (4, 4), 3),
]
# positions 2 and 0 in the same twelve numbers: the values and the strides
POSITIONS = [
    (lambda at: at, [[8, 9, 10, 11], [0, 1, 2, 3]], (4, 1)),
    (lambda at: (at, ...), [[8, 9, 10, 11], [0, 1, 2, 3]], (4, 1)),
    (lambda at: (slice(None), at), [[2, 0], [6, 4], [10, 8]], (2, 1)),
    (lambda at: (..., at), [[2, 0], [6, 4], [10, 8]], (2, 1)),
    (lambda at: (slice(1, None), at), [[6, 4], [10, 8]], (2, 1)),
    (lambda at: (at, at), [10, 0], (1,)),
    (lambda at: (1, at), [6, 4], (1,)),
]
makers = pytest.mark.parametrize("make", [torch.tensor, np.array], ids=["tensor", "array"])


def table(requires_grad=False):
    return torch.arange(12.0).reshape(3, 4).requires_grad_(requires_grad)


class TestSlices:
    @pytest.mark.parametrize("index, values, strides, offset", SLICES, ids=[str(each[0]) for each in SLICES])
    def test_a_slice_is_a_view_with_longer_strides(self, index, values, strides, offset):
        x = table()
        found = x[index]
        assert found.tolist() == values
        assert found.stride() == strides and found.storage_offset() == offset
        assert found.data_ptr() == x.data_ptr() + 4 * offset
        found.zero_()
        assert x.sum() == 66 - np.sum(values)

    @pytest.mark.parametrize("index", [each[0] for each in SLICES], ids=[str(each[0]) for each in SLICES])
    def test_its_gradient_is_zero_outside(self, index):
        x = table(requires_grad=True)
        found = (x * 1)[index]
        (found * found).sum().backward()
        expected = np.zeros((3, 4))
        expected[index] = 2 * np.arange(12.0).reshape(3, 4)[index]
        assert x.grad.tolist() == expected.tolist()

    def test_a_slice_beyond_the_end_is_empty(self):
        assert table()[5:].shape == (0, 4) and table()[:, 3:1].shape == (3, 0)
        x = table(requires_grad=True)
        x[..., 4:].sum().backward()
        assert not x.grad.any()

    def test_the_last_step_names_the_node(self):
        x = table(requires_grad=True)
        assert x[..., ::2].grad_fn.name() == x[:, 1:].grad_fn.name() == "SliceBackward0"
        assert x[:, 1].grad_fn.name() == x[..., -1].grad_fn.name() == "SelectBackward0"

    def test_steps_are_positive(self):
        with pytest.raises(ValueError, match="step must be greater than zero"):
            table()[..., ::-1]


class TestPositions:
    @makers
    @pytest.mark.parametrize("form, values, strides", POSITIONS)
    def test_positions_pick_a_copy(self, make, form, values, strides):
        x = table()
        found = x[form(make([2, 0]))]
        assert found.tolist() == values and found.stride() == strides
        found.zero_()
        assert x.sum() == 66

    @makers
    def test_a_grid_of_positions_takes_the_place_of_a_dimension(self, make):
        grid = make([[0, 1], [2, -1]])
        assert table()[1:, grid].tolist() == [[[4, 5], [6, 7]], [[8, 9], [10, 11]]]
        assert table()[grid[:1]].shape == (1, 2, 4)

    @makers
    def test_what_is_picked_twice_has_the_sum_of_both_gradients(self, make):
        x = table(requires_grad=True)
        found = (x * 1)[:, make([0, 3, 0])]
        assert found.grad_fn.name() == "IndexBackward0"
        found.sum().backward()
        assert x.grad.tolist() == [[2, 0, 0, 1]] * 3

    def test_a_gradient_goes_where_an_array_pointed_at_the_call(self):
        where = np.array([0, 1])  # torch keeps this array itself, and what becomes of it
        x = torch.ones(3, requires_grad=True)
        found = x[where]
        where[0] = 2
        found.sum().backward()
        assert x.grad.tolist() == [1, 1, 0]

    @pytest.mark.parametrize("wrong", [4, -5])
    def test_positions_beyond_the_end_are_refused(self, wrong):
        # among tensors of positions torch counts these, not the dimensions
        for index, dim in ((torch.tensor([wrong]), 0), (np.array([wrong]), 0), (wrong, 1)):
            words = f"index {wrong} is out of bounds for dimension {dim} with size 4"
            with pytest.raises(IndexError, match=words):
                table()[:, index]
            with pytest.raises(IndexError, match=words):
                table()[..., index] = 1.0


class TestWrites:
    @makers
    def test_a_write_goes_to_the_positions(self, make):
        x = torch.zeros(3, 2)
        x[make([2, 0])] = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        assert x.tolist() == [[3, 4], [0, 0], [1, 2]]
        x[:, make([1])] = 7.0
        assert x.tolist() == [[3, 7], [0, 7], [1, 7]]

    @makers
    @pytest.mark.parametrize("shape", [(), (1,), (2,), (1, 2), (3, 2), (1, 1, 3, 2)])
    def test_what_is_written_is_spread(self, make, shape):
        x = table()
        values = 100 + np.arange(np.prod(shape, dtype=int), dtype="float32").reshape(shape)
        x[:, make([3, 1])] = torch.tensor(values)
        expected = np.arange(12.0).reshape(3, 4)
        expected[:, [3, 1]] = values
        assert x.tolist() == expected.tolist()

    @makers
    def test_values_of_another_shape_are_refused(self, make):
        x = table()
        words = r"shape mismatch: value tensor of shape \[5\] cannot be broadcast to indexing result of shape \[3, 2\]"
        with pytest.raises(RuntimeError, match=words):
            x[:, make([3, 1])] = torch.ones(5)
        assert x.tolist() == table().tolist()

    @makers
    def test_what_was_written_over_has_no_gradient(self, make):
        x, value = table(requires_grad=True), torch.tensor([5.0, 6.0], requires_grad=True)
        y = x * 1
        y[:, make([3, 1])] = value
        assert y.grad_fn.name() == "IndexPutBackward0"
        (y * y).sum().backward()
        assert x.grad.tolist() == [[0, 0, 4, 0], [8, 0, 12, 0], [16, 0, 20, 0]]
        assert value.grad.tolist() == [30, 36]

    def test_a_slice_is_written_through(self):
        x, value = table(requires_grad=True), torch.tensor([5.0, 6.0], requires_grad=True)
        y = x * 1
        y[..., ::2] = value
        assert y.grad_fn.name().endswith("CopySlices") and y.tolist()[0] == [5, 1, 6, 3]
        y.sum().backward()
        assert x.grad.tolist() == [[0, 1, 0, 1]] * 3 and value.grad.tolist() == [3, 3]


class TestWhere:
    def test_strides_are_counted_in_elements(self):
        x = torch.zeros(2, 3, 4)
        assert x.stride() == (12, 4, 1) and x.stride(0) == x.stride(-3) == 12 and x.stride(dim=1) == 4
        assert x.mT.stride() == (12, 1, 4) and torch.zeros(()).stride() == ()
        assert x.expand(5, 2, 3, 4).stride() == (0, 12, 4, 1)
        with pytest.raises(IndexError, match="Dimension out of range"):
            x.stride(3)

    def test_an_empty_tensor_has_strides_and_no_address(self):
        x = torch.zeros(3, 0)
        assert x.stride() == (1, 1) and x.T.stride() == (1, 1)
        assert x.data_ptr() == 0

    def test_an_address_is_that_of_the_first_element(self):
        x = torch.zeros(3, 4, dtype=torch.float64)
        assert x.storage_offset() == 0 and x[1, 2:].storage_offset() == 6
        assert x[1, 2:].data_ptr() - x.data_ptr() == 48
        assert x.T.data_ptr() == x.detach().data_ptr() == x.data_ptr() != x.clone().data_ptr()

    def test_what_is_on_the_cpu_stays_itself(self):
        x = table(requires_grad=True)
        y = x * 2
        assert x.cpu() is x and y.cpu() is y
