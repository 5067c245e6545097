"""TorchFunctionMode: a context that sees every call."""

import numpy as np
import pytest

import rushlight as torch
from rushlight import overrides
from rushlight.overrides import TorchFunctionMode


class Names(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(overrides.resolve_name(func))
        return func(*args, **(kwargs or {}))


def test_a_mode_sees_calls_on_plain_tensors():
    layer = torch.nn.Linear(2, 2)
    with Names() as mode:
        x = torch.zeros(2)
        x + 1
        x.sum()
        layer(x)
        torch.rand(2)
    assert mode.seen == [
        "torch.zeros",
        "torch.Tensor.add",
        "torch.Tensor.sum",
        "torch.nn.functional.linear",
        "torch.rand",
    ]
    torch.ones(1)
    assert len(mode.seen) == 5


def test_a_mode_does_not_see_what_has_no_tensor_to_ask():
    with Names() as mode:
        torch.from_numpy(np.ones(2))
        torch.broadcast_shapes((2, 1), (3,))
    assert mode.seen == []


def test_modes_nest_and_the_inner_one_is_asked_first():
    with Names() as outer, Names() as inner:
        torch.zeros(1)
        assert overrides._get_current_function_mode() is inner
        assert overrides._get_current_function_mode_stack() == [outer, inner]
    assert outer.seen == inner.seen == ["torch.zeros"]
    assert overrides._get_current_function_mode() is None


def test_a_mode_may_answer_itself():
    class Ones(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return torch.ones(1) if func is torch.zeros else func(*args, **(kwargs or {}))

    with Ones():
        assert torch.zeros(1).item() == 1
    assert torch.zeros(1).item() == 0


def test_an_error_leaves_the_mode():
    with pytest.raises(ValueError, match="out"), Names():
        raise ValueError("out")
    assert overrides._len_torch_function_stack() == 0


def test_a_mode_without_a_function_refuses():
    with pytest.raises(NotImplementedError), TorchFunctionMode():
        torch.zeros(1)


def test_a_mode_can_be_put_aside():
    with Names() as mode:
        with overrides._pop_mode_temporarily():
            torch.zeros(1)
        torch.ones(1)
    assert mode.seen == ["torch.ones"]


def test_lists_of_functions():
    found = overrides.get_overridable_functions()
    assert torch.add in found[torch]
    assert torch.Tensor.add in found[torch.Tensor]
    assert torch.zeros in overrides.get_ignored_functions()
    assert overrides.get_testing_overrides()[torch.add](1, 2) == -1
    assert overrides.resolve_name(torch.Tensor.shape.__get__) == "torch.Tensor.shape.__get__"
    assert overrides.is_tensor_method_or_property(torch.Tensor.shape.__get__)
    assert not overrides.is_tensor_method_or_property(torch.add)


def test_functions_of_ones_own():
    @overrides.wrap_torch_function(lambda x: (x,))
    def double(x):
        return x * 2

    class Like:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func, args

    like = Like()
    assert double(torch.ones(1)).item() == 2
    assert double(like) == (double, (like,))
    assert overrides.has_torch_function_unary(like)
    assert not overrides.has_torch_function_variadic(1, torch.ones(1))
