"""Hooks of modules: before and after forward, and around backward."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.modules import module as everywhere


class Doubled(nn.Module):
    def forward(self, x, *, times=2):
        if times < 0:
            raise ValueError("negative")
        return x * times


def test_pre_hook_replaces_the_arguments():
    module = Doubled()
    with module.register_forward_pre_hook(lambda module, args: args[0] + 1):
        assert module(torch.tensor(1.0)).item() == 4
    assert module(torch.tensor(1.0)).item() == 2


def test_hook_replaces_the_output():
    module = Doubled()
    handle = module.register_forward_hook(lambda module, args, output: output + args[0])
    assert module(torch.tensor(1.0)).item() == 3
    handle.remove()
    assert module(torch.tensor(1.0)).item() == 2


def test_hooks_see_keyword_arguments_where_asked():
    module = Doubled()
    module.register_forward_pre_hook(
        lambda module, args, kwargs: (args, {"times": kwargs["times"] + 1}), with_kwargs=True
    )
    module.register_forward_hook(lambda module, args, kwargs, output: output + kwargs["times"], with_kwargs=True)
    assert module(torch.tensor(1.0), times=3).item() == 8
    module.register_forward_pre_hook(lambda module, args, kwargs: 1, with_kwargs=True)
    with pytest.raises(RuntimeError, match=r"must return None or a tuple of \(new_args, new_kwargs\)"):
        module(torch.tensor(1.0), times=3)


def test_hooks_run_in_order_and_prepended_ones_first():
    seen = []
    module = Doubled()
    module.register_forward_hook(lambda *given: seen.append("second"))
    module.register_forward_hook(lambda *given: seen.append("first"), prepend=True)
    module.register_forward_pre_hook(lambda *given: seen.append("before"))
    module(torch.ones(1))
    assert seen == ["before", "first", "second"]


def test_hook_that_is_always_called():
    seen = []
    module = Doubled()
    module.register_forward_hook(lambda module, args, output: seen.append(output), always_call=True)
    module.register_forward_hook(lambda module, args, output: seen.append("not after an error"))
    with pytest.raises(ValueError, match="negative"):
        module(torch.ones(1), times=-1)
    assert seen == [None]
    module.register_forward_hook(lambda module, args, output: 1 / 0, always_call=True)
    with pytest.raises(ValueError, match="negative"), pytest.warns(UserWarning, match="was silenced"):
        module(torch.ones(1), times=-1)


def test_hooks_of_every_module():
    seen = []
    handles = [
        everywhere.register_module_forward_pre_hook(lambda module, args: seen.append("before")),
        everywhere.register_module_forward_hook(
            lambda module, args, kwargs, output: seen.append("after"), with_kwargs=True, always_call=True
        ),
        everywhere.register_module_full_backward_hook(lambda module, inputs, outputs: seen.append("backward")),
        everywhere.register_module_full_backward_pre_hook(lambda module, outputs: seen.append("gradient")),
    ]
    nn.ReLU()(torch.ones(1, requires_grad=True)).backward()
    for handle in handles:
        handle.remove()
    nn.ReLU()(torch.ones(1))
    assert seen == ["before", "after", "gradient", "backward"]


def test_backward_hook_sees_and_replaces_gradients():
    layer = nn.Linear(2, 1, bias=False)
    x = torch.ones(1, 2, requires_grad=True)
    seen = []

    def hook(module, grad_input, grad_output):
        seen.append((module, grad_input[0].clone(), grad_output[0].clone()))
        return (grad_input[0] * 10,)

    layer.register_full_backward_hook(hook)
    output = layer(x)
    assert output.grad_fn.name() == "BackwardHookFunctionBackward"
    output.backward(torch.tensor([[3.0]]))
    assert seen[0][0] is layer and seen[0][2].item() == 3
    assert torch.allclose(x.grad, seen[0][1] * 10)


def test_backward_pre_hook_replaces_the_gradient_of_the_output():
    layer = nn.Linear(2, 1, bias=False)
    layer.register_full_backward_pre_hook(lambda module, grad_output: (grad_output[0] * 2,))
    layer(torch.ones(1, 2)).sum().backward()
    assert layer.weight.grad.tolist() == [[2, 2]]


def test_backward_hook_without_input_gradients():
    layer, seen = nn.Linear(2, 1), []
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append(grad_input))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        layer(torch.ones(1, 2)).sum().backward()
    assert seen == [(None,)]
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: (torch.ones(1),))
    with pytest.warns(UserWarning), pytest.raises(RuntimeError, match="should always return None"):
        layer(torch.ones(1, 2)).sum().backward()


def test_backward_hook_with_the_wrong_number_of_gradients():
    layer = nn.ReLU()
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: (None, None))
    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 2, but expected 1"):
        layer(torch.ones(1, requires_grad=True)).backward()


def test_older_backward_hook_sees_the_last_node():
    layer, seen = nn.Tanh(), []
    layer.register_backward_hook(lambda module, grad_input, grad_output: seen.append((len(grad_input), grad_output)))
    layer(torch.zeros(1, requires_grad=True)).backward()
    assert seen == [(1, (torch.ones(1),))]
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full backward hooks"):
        layer.register_full_backward_hook(print)


def test_hook_must_be_callable():
    with pytest.raises(TypeError):
        nn.ReLU().register_forward_hook(3)
