"""What the native base type answers itself, and where it leaves the answer to Python."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import rushlight as torch
from rushlight.errors.lost import last_exits


class TestFields:
    def test_shape_is_a_size(self):
        x = torch.zeros(2, 3)
        assert type(x.shape) is torch.Size and x.shape == (2, 3) and x.shape.numel() == 6
        assert x.size() == x.shape and x.size(-1) == 3 and x.dim() == x.ndim == x.ndimension() == 2
        assert x.numel() == x.nelement() == 6
        assert torch.zeros(()).shape == torch.Size([])

    def test_size_words_its_errors(self):
        with pytest.raises(IndexError, match="Dimension out of range"):
            torch.zeros(2, 3).size(2)
        with pytest.raises(TypeError):
            torch.zeros(2).size(0.5)

    def test_every_dtype(self):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.int64, torch.bool):
            assert torch.zeros(2, dtype=dtype).dtype is dtype

    def test_requires_grad_is_switched_for_leaves_only(self):
        x = torch.zeros(2)
        x.requires_grad = True
        assert x.requires_grad and x.is_leaf and x.grad_fn is None
        y = x * 2
        assert not y.is_leaf and type(y.grad_fn).__name__ == "MulBackward0"
        with pytest.raises(RuntimeError, match="leaf variables"):
            y.requires_grad = False
        with pytest.raises(RuntimeError, match="floating point"):
            torch.zeros(2, dtype=torch.int64).requires_grad_()
        assert x.requires_grad_(False) is x and not x.requires_grad

    def test_grad_is_checked_when_it_is_set(self):
        x = torch.zeros(2, requires_grad=True)
        x.grad = torch.ones(2)
        assert x.grad.tolist() == [1, 1]
        with pytest.raises(RuntimeError, match="size"):
            x.grad = torch.ones(3)
        with pytest.raises(RuntimeError, match="dtype"):
            x.grad = torch.ones(2, dtype=torch.float64)
        with pytest.raises(RuntimeError, match="own grad"):
            x.grad = x
        with pytest.raises(TypeError):
            x.grad = 1
        del x.grad
        assert x.grad is None

    def test_grad_of_a_result_warns(self):
        y = torch.zeros(2, requires_grad=True) * 2
        with pytest.warns(UserWarning, match="not a leaf"):
            assert y.grad is None

    def test_a_stale_view_takes_its_history_from_the_write(self):
        base = torch.zeros(3, requires_grad=True) * 1
        view = base[1:]
        base.mul_(2)
        assert type(view.grad_fn).__name__ == "AsStridedBackward0"

    def test_data_and_detach_count_writes_differently(self):
        x = torch.zeros(2)
        x.detach().add_(1)
        assert x._version == 1
        x.data.add_(1)
        assert x._version == 1 and x.tolist() == [2, 2]

    def test_a_subclass_may_redefine_them(self):
        class Named(torch.Tensor):
            @property
            def shape(self):
                return "mine"

            def item(self):
                return "mine"

        found = torch.zeros(1).as_subclass(Named)
        assert found.shape == found.item() == "mine"


class TestElements:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64, torch.int32, torch.uint8, torch.bool])
    def test_item_is_a_python_number(self, dtype):
        value = torch.ones(1, 1, dtype=dtype).item()
        assert value == 1 and type(value) is type(np.ones(1, dtype.numpy).item())

    def test_item_of_many_is_refused(self):
        with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
            torch.zeros(2).item()

    def test_numbers(self):
        assert float(torch.tensor(1.5)) == 1.5 and int(torch.tensor(-1.5)) == -1 and [5, 6][torch.tensor(1)] == 6
        assert bool(torch.tensor(math.nan)) and not torch.tensor([0.0])
        with pytest.raises(RuntimeError, match="ambiguous"):
            bool(torch.zeros(2))
        with pytest.raises(TypeError, match="index"):
            [1][torch.tensor(0.0)]
        with pytest.raises((ValueError, OverflowError)):
            int(torch.tensor(math.inf))

    def test_the_line_on_which_a_number_left_is_kept(self):
        loss = (torch.ones(2, requires_grad=True) * 0.3).sum()
        value = loss.item()
        reason, place = last_exits(1)[0]
        assert reason == "item" and place[0].co_name == "test_the_line_on_which_a_number_left_is_kept"
        again = torch.tensor([1.0, value])
        assert again._cut == (reason, place)
        assert torch.tensor([1.0, 2.0])._cut is None

    def test_an_array_that_left_is_known(self):
        x = (torch.ones(2, requires_grad=True) * 3).detach()
        again = torch.from_numpy(x.numpy())
        assert again._cut[0] == "numpy"

    def test_lists_and_rows(self):
        x = torch.arange(6).reshape(2, 3)
        assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
        assert [row.tolist() for row in x] == x.tolist()
        with pytest.raises(TypeError, match="0-d"):
            iter(torch.zeros(()))

    def test_gradients_of_many_rows(self):
        x = torch.ones(50, 2, requires_grad=True)
        sum(row.sum() * place for place, row in enumerate(x) if place % 2).backward()
        assert x.grad[:, 0].tolist() == [place if place % 2 else 0 for place in range(50)]


class TestCreation:
    def test_data_of_each_kind(self):
        assert torch.tensor(2).dtype is torch.int64 and torch.tensor(True).dtype is torch.bool
        assert torch.tensor([1, 2.5]).tolist() == [1, 2.5] and torch.tensor([True, 2]).dtype is torch.int64
        assert torch.tensor([[1, 2], [3, 4]], dtype=torch.float64).shape == (2, 2)
        assert torch.tensor((0.5, 1), requires_grad=True).requires_grad

    def test_what_is_odd_is_left_to_python(self):
        with pytest.raises(ValueError, match="expected sequence of length 2"):
            torch.tensor([[1, 2], [3]])
        with pytest.raises(RuntimeError, match="require gradients"):
            torch.tensor([1, 2], requires_grad=True)
        assert torch.tensor([]).shape == (0,)
        with pytest.raises((ValueError, RuntimeError, OverflowError)):
            torch.tensor([2**70])
        with pytest.raises(RuntimeError, match="negative"):
            torch.zeros(-1)

    def test_copies_and_shared_memory(self):
        array = np.zeros((2, 2), "f")
        shared, copied = torch.from_numpy(array), torch.tensor(array)
        array[0, 0] = 5
        assert shared[0, 0] == 5 and copied[0, 0] == 0
        assert torch.as_tensor(array).data_ptr() == array.ctypes.data
        assert torch.as_tensor(array, dtype=torch.float64).dtype is torch.float64
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            array.flags.writeable = False
            torch.from_numpy(array)
        assert caught

    def test_defaults_follow_the_default_dtype(self):
        torch.set_default_dtype(torch.float64)
        try:
            assert torch.zeros(2).dtype is torch.tensor(0.5).dtype is torch.full((2,), 1.0).dtype is torch.float64
        finally:
            torch.set_default_dtype(torch.float32)
        assert torch.ones(2, dtype=torch.int64, device="cpu").tolist() == [1, 1]
        assert torch.arange(2, 8, 3).tolist() == [2, 5] and torch.arange(3, dtype=torch.float32).tolist() == [0, 1, 2]
