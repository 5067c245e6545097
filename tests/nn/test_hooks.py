"""Hooks of modules: before and after forward, and around backward."""

import copy
import gc
import pickle
from collections import OrderedDict

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
    with pytest.warns(UserWarning, match="no inputs require gradients"):
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
    with pytest.warns(FutureWarning, match="when the forward contains multiple autograd Nodes"):
        layer(torch.zeros(1, requires_grad=True)).backward()
    assert seen == [(1, (torch.ones(1),))]
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full backward hooks"):
        layer.register_full_backward_hook(print)


def test_hook_must_be_callable():
    with pytest.raises(TypeError):
        nn.ReLU().register_forward_hook(3)


def test_hooks_stand_under_the_names_of_torch_and_leave_them_together():
    layer = nn.ReLU()
    handle = layer.register_forward_hook(lambda *_: None, with_kwargs=True, always_call=True)
    before = layer.register_forward_pre_hook(lambda *_: None, with_kwargs=True)
    assert list(layer._forward_hooks) == list(layer._forward_hooks_with_kwargs) == [handle.id]
    assert list(layer._forward_hooks_always_called) == [handle.id]
    assert list(layer._forward_pre_hooks_with_kwargs) == [before.id]
    assert handle.hooks_dict_ref() is layer._forward_hooks
    handle.remove()
    before.remove()
    assert not layer._forward_hooks_with_kwargs and not layer._forward_hooks_always_called
    assert not layer._forward_pre_hooks_with_kwargs


def test_a_handle_does_not_keep_the_hooks_alive():
    handle = nn.ReLU().register_forward_hook(lambda *_: None)
    assert handle.hooks_dict_ref() is None
    handle.remove()
    again = pickle.loads(pickle.dumps(handle))
    again.remove()


def test_hooks_of_all_modules_may_be_replaced_by_assignment(monkeypatch):
    seen = []
    monkeypatch.setattr(everywhere, "_global_forward_hooks", OrderedDict({0: lambda *_: seen.append("after")}))
    monkeypatch.setattr(everywhere, "_global_forward_pre_hooks", OrderedDict({0: lambda *_: seen.append("before")}))
    nn.ReLU()(torch.ones(1))
    assert seen == ["before", "after"]
    monkeypatch.undo()
    nn.ReLU()(torch.ones(1))
    assert seen == ["before", "after"] and not everywhere._has_any_global_hook()
    hooks = OrderedDict({0: lambda module, name, buffer: seen.append(name)})
    monkeypatch.setattr(everywhere, "_global_buffer_registration_hooks", hooks)
    nn.ReLU().register_buffer("noise", torch.ones(1))
    assert seen[-1] == "noise"
    with pytest.raises(AttributeError, match="has no attribute 'missing'"):
        everywhere.missing  # noqa: B018


def test_an_input_that_needs_no_gradient_gets_zeros():
    class Sum(nn.Module):
        def forward(self, x, y, flag):
            return x * 2 + y

    layer, seen = Sum(), []
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append(grad_input))
    layer(torch.ones(2, requires_grad=True), torch.ones(2), True).sum().backward()
    first, second, third = seen[0]
    assert (first.tolist(), second.tolist(), third) == ([2, 2], [0, 0], None)


def test_hooks_that_are_always_called_see_what_forward_gave():
    layer, seen = nn.ReLU(), []

    def fail(module, args, output):
        raise ValueError("no")

    layer.register_forward_hook(fail)
    layer.register_forward_hook(lambda module, args, output: seen.append(output), always_call=True)
    with pytest.raises(ValueError, match="no"):
        layer(torch.ones(1))
    assert seen == [torch.ones(1)]


def test_backward_hooks_return_a_gradient_for_each_input():
    layer = nn.Linear(2, 2)
    input = torch.ones(1, 2, requires_grad=True)
    handle = layer.register_full_backward_pre_hook(lambda module, grads: grads * 2)
    with pytest.raises(RuntimeError, match="Backward pre hook returned an invalid number of grad_output, got 2"):
        layer(input).sum().backward()
    handle.remove()
    layer.register_full_backward_hook(lambda module, grads, _: 3)
    with pytest.raises(TypeError, match="has no len"):
        layer(input).sum().backward()


def test_outputs_that_are_no_tensors_are_told_of_by_backward_hooks():
    class Listed(nn.Module):
        def forward(self, x):
            return [x * 2]

    layer = Listed()
    layer.register_full_backward_hook(lambda *_: None)
    with pytest.warns(UserWarning, match="module output should be a Tensor or a tuple of Tensors"):
        layer(torch.ones(1, requires_grad=True))


@pytest.mark.parametrize(
    "give, words",
    [
        (lambda x: {"a": x * 2}, "does not return a single Tensor"),
        (lambda x: (x * 2, x * 3), "outputs are generated by different autograd Nodes"),
        (torch.tanh, ""),
    ],
)
def test_older_backward_hooks_say_what_they_miss(give, words):
    class Layer(nn.Module):
        def forward(self, x):
            return give(x)

    layer = Layer()
    layer.register_backward_hook(lambda *_: None)
    input = torch.ones(1, requires_grad=True) * 1
    if words:
        with pytest.warns(FutureWarning, match=words):
            layer(input)
    else:
        layer(input)


def test_a_hook_of_a_state_dict_does_not_keep_its_module_alive():
    layer = nn.Linear(1, 1)
    layer.register_load_state_dict_pre_hook(lambda module, *_: seen.append(module))
    (hook,) = layer._load_state_dict_pre_hooks.values()
    seen = []
    twin = copy.deepcopy(layer)
    twin.load_state_dict(layer.state_dict())
    assert seen == [twin]
    del layer
    gc.collect()
    with pytest.raises(RuntimeError, match="dead Module"):
        hook({}, "", {}, True, [], [], [])
