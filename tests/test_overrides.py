"""__torch_function__: objects that say how functions treat them."""

import pytest

import rushlight as torch
from rushlight import overrides


class Like:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented if func is torch.sin else ("asked", func)


def test_what_is_like_a_tensor():
    assert overrides.is_tensor_like(torch.ones(1))
    assert overrides.is_tensor_like(Like())
    assert not overrides.is_tensor_like(1)
    assert overrides.has_torch_function([1, Like()])
    assert not overrides.has_torch_function([torch.ones(1), 1])


def test_an_object_is_asked():
    assert overrides.handle_torch_function(torch.add, (Like(),), Like(), 1) == ("asked", torch.add)
    with pytest.raises(TypeError, match=r"no implementation found for 'torch.sin'"):
        overrides.handle_torch_function(torch.sin, (Like(),), Like())


def test_the_names_of_functions():
    assert overrides.resolve_name(torch.add) == "torch.add"
    assert overrides.resolve_name(torch.nn.functional.mse_loss) == "torch.nn.functional.mse_loss"
    assert overrides.resolve_name(max) is None
    assert overrides.is_tensor_method_or_property(torch.Tensor.exp)
    assert torch.Tensor.__torch_function__(torch.add, (), (torch.ones(1), 1)).item() == 2
