"""Hooks that are objects, hooks put on and taken off while a backward runs, and modes around odd functions."""

import asyncio
import functools
import gc
import weakref

import pytest

import rushlight as torch
from rushlight.autograd import Function
from rushlight.autograd.graph import saved_tensors_hooks


@pytest.fixture
def x():
    return torch.ones(2, requires_grad=True)


class Times:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, grad):
        return grad * self.factor


@pytest.mark.parametrize("hook", [Times(4), functools.partial(torch.mul, 4), Times(4).__call__])
def test_a_hook_is_anything_that_can_be_called(x, hook):
    x.register_hook(hook)
    x.sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]


def test_a_hook_may_be_gone_before_it_has_returned(x):
    kept = {}

    class Passing(Times):
        def __call__(self, grad):
            kept.pop("handle").remove()
            kept.pop("hook")
            gc.collect()
            return grad * self.factor

    kept["hook"] = Passing(3)
    gone = weakref.ref(kept["hook"])
    kept["handle"] = x.register_hook(kept["hook"])
    x.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0] and gone() is None
    x.sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]


def test_hooks_of_saved_tensors_hold_for_what_a_backward_computes_inside_them(x):
    seen = []

    class Outer(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            hooks = saved_tensors_hooks(lambda t: (seen.append("pack"), t)[1], lambda t: (seen.append("unpack"), t)[1])
            with hooks, torch.enable_grad():
                inner = torch.ones(2, requires_grad=True)
                inner.exp().sum().backward()
            return grad * 2

    Outer.apply(x).sum().backward()
    assert seen == ["pack", "unpack"] and x.grad.tolist() == [2.0, 2.0]
    x.exp().sum().backward()
    assert seen == ["pack", "unpack"]


def test_hooks_on_the_way_to_an_input_of_grad_run_and_others_do_not(x):
    seen = []
    y = x * 3
    z = y * 2
    y.register_hook(lambda grad: seen.append("y"))
    z.register_hook(lambda grad: (seen.append("z"), grad * 10)[1])
    (found,) = torch.autograd.grad(z.sum(), y, retain_graph=True)
    assert seen == ["z", "y"] and found.tolist() == [20.0, 20.0]
    seen.clear()
    (found,) = torch.autograd.grad((z * 1).sum(), z)
    assert seen == ["z"] and found.tolist() == [10.0, 10.0]


def test_a_coroutine_runs_on_after_its_mode_has_ended():
    @torch.no_grad()
    async def asks():
        await asyncio.sleep(0)
        return torch.is_grad_enabled()

    # as in torch: the mode holds while the coroutine is made, not while it runs
    assert asyncio.run(asks()) is True


def test_a_generator_has_inference_mode_for_itself():
    @torch.inference_mode()
    def numbers():
        yield torch.ones(1).is_inference()
        yield torch.is_inference_mode_enabled()

    asked = numbers()
    assert next(asked) and not torch.is_inference_mode_enabled() and next(asked)


def test_a_class_is_made_in_inference_mode_after_a_warning():
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):

        @torch.inference_mode()
        class Made:
            def __init__(self):
                self.tensor = torch.ones(1)

    assert Made().tensor.is_inference()


def test_an_inference_tensor_takes_another_size_inside_only():
    with torch.inference_mode():
        inside = torch.ones(2)
        assert inside.resize_(3).shape == (3,)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        inside.resize_(4)
    for name in ("t_", "squeeze_", "zero_", "normal_"):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
            getattr(inside, name)()


@pytest.mark.parametrize("tensor", [lambda leaf: leaf, lambda leaf: leaf * 1], ids=["leaf", "result"])
def test_the_hooks_of_a_tensor_are_shown_and_replaced(tensor):
    seen = []
    x = tensor(torch.ones(2, requires_grad=True))
    assert x._backward_hooks is None
    handle = x.register_hook(lambda grad: seen.append("first"))
    if not x.is_leaf:
        x.retain_grad()
    assert list(x._backward_hooks) == [handle.id]
    x._backward_hooks = {0: lambda grad: seen.append("second")}
    x.sum().backward()
    assert seen == ["second"] and x.grad.tolist() == [1.0, 1.0]
    x._backward_hooks = None
    assert x._backward_hooks is None
    with pytest.raises(RuntimeError, match="Deletion of _backwards_hooks not allowed!"):
        del x._backward_hooks
