"""Swapped tensors, and modules that are converted and loaded by swapping."""

import weakref

import pytest

import rushlight as torch
from rushlight import nn

future = torch.__future__


@pytest.fixture
def swapping():
    future.set_swap_module_params_on_conversion(True)
    yield
    future.set_swap_module_params_on_conversion(False)


def test_swapped_tensors_change_class_data_and_attributes():
    one, two = nn.Parameter(torch.ones(2)), torch.zeros(3, dtype=torch.int32)
    one.grad = torch.full((2,), 7.0)
    two.mark = "two"
    torch.utils.swap_tensors(one, two)
    assert type(one) is torch.Tensor and type(two) is nn.Parameter
    assert one.dtype is torch.int32 and one.mark == "two" and not hasattr(two, "mark")
    assert not one.requires_grad and one.grad is None and two.grad.tolist() == [7, 7]


def test_a_tensor_with_a_weak_reference_is_not_swapped():
    one = torch.ones(2)
    watch = weakref.ref(one)
    with pytest.raises(RuntimeError, match="Cannot swap t1 because it has weakref associated with it"):
        torch.utils.swap_tensors(one, torch.ones(3))
    with pytest.raises(RuntimeError, match="Cannot swap t2"):
        torch.utils.swap_tensors(torch.ones(3), one)
    assert watch() is one


def test_tensors_with_different_slots_are_not_swapped():
    class Marked(torch.Tensor):
        __slots__ = ("mark",)

    with pytest.raises(RuntimeError, match="different slots"):
        torch.utils.swap_tensors(torch.ones(1).as_subclass(Marked), torch.ones(1))


def test_conversion_by_swapping_keeps_the_parameter_and_its_gradient(swapping):
    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    weight, grad = layer.weight, layer.weight.grad
    layer.double()
    assert layer.weight is weight and weight.grad is grad and grad.dtype is torch.float64
    watch = weakref.ref(weight)
    with pytest.raises(RuntimeError, match=r"_apply\(\): Couldn't swap Linear.weight"):
        layer.float()
    assert watch() is weight and weight.grad is grad


def test_assigned_state_is_swapped_in(swapping):
    layer, given = nn.Linear(2, 1), torch.full((1, 2), 3.0)
    weight = layer.weight
    layer.load_state_dict({"weight": given, "bias": torch.zeros(1)}, assign=True)
    assert layer.weight is weight and weight.data_ptr() == given.data_ptr() and weight.requires_grad


def test_overwritten_parameters_are_new_ones():
    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    weight = layer.weight
    assert not future.get_overwrite_module_params_on_conversion()
    future.set_overwrite_module_params_on_conversion(True)
    try:
        layer.double()
    finally:
        future.set_overwrite_module_params_on_conversion(False)
    assert layer.weight is not weight and weight.dtype is torch.float32
    assert layer.weight.dtype is layer.weight.grad.dtype is torch.float64


def test_a_converted_gradient_is_the_same_object():
    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    grad = layer.weight.grad
    layer.double()
    assert layer.weight.grad is grad and grad.dtype is torch.float64
