"""The wide unsigned dtypes."""

import numpy as np
import pytest

import rushlight as torch


def test_unsigned_numbers_of_every_width():
    x = torch.tensor([1, 2**64 - 1], dtype=torch.uint64)
    assert x.tolist() == [1, 2**64 - 1]
    assert x.view(torch.int64).tolist() == [1, -1]
    assert torch.from_numpy(np.array([3], np.uint32)).dtype is torch.uint32
    assert torch.iinfo(torch.uint16).max == 65535
    assert repr(torch.zeros(1, dtype=torch.uint16)) == "tensor([0], dtype=torch.uint16)"


def test_they_promote_to_floats_alone():
    x = torch.tensor([1], dtype=torch.uint16)
    assert (x + 1.5).dtype is torch.float32
    assert (x * 2).dtype is torch.uint16
    with pytest.raises(RuntimeError, match="Promotion for uint16, uint32, uint64 types is not supported"):
        x + torch.tensor([1])


def test_numbers_that_do_not_fit():
    assert torch.tensor(-1, dtype=torch.uint16).item() == 65535
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint16 without overflow"):
        torch.tensor([70000], dtype=torch.uint16)
    with pytest.raises(OverflowError, match="can't convert negative int to unsigned"):
        torch.tensor([-1], dtype=torch.uint64)


def test_a_sum_is_int64():
    assert torch.tensor([65535, 1], dtype=torch.uint16).sum().item() == 65536


def test_numbers_wrap_around_in_64_bits_as_they_are_written():
    zeros = torch.zeros(2, dtype=torch.uint64)
    assert (
        zeros.clone().fill_(-1).tolist() == [2**64 - 1] * 2
        and torch.full((1,), -(2**63), dtype=torch.uint64).item() == 2**63
    )
    zeros[...] = -2
    assert zeros.tolist() == [2**64 - 2] * 2
    assert zeros.fill_(2**64 - 1).tolist() == [2**64 - 1] * 2
