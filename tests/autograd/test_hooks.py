"""Hooks: on tensors, on nodes, after accumulation, and around saved values."""

import gc
import weakref

import pytest

import rushlight as torch


def test_a_hook_sees_and_replaces_a_leafs_gradient():
    x = torch.ones(2, requires_grad=True)
    seen = []
    x.register_hook(lambda grad: seen.append(grad.tolist()))
    x.register_hook(lambda grad: grad * 10)
    (x * 3).sum().backward()
    assert seen == [[3.0, 3.0]]
    assert x.grad.tolist() == [30.0, 30.0]


def test_a_hook_on_an_intermediate_changes_what_flows_on():
    x = torch.ones(1, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad * 5)
    (y * 3).sum().backward()
    assert x.grad.item() == 30


def test_a_hook_sees_the_whole_gradient_once():
    x = torch.ones(1, requires_grad=True)
    seen = []
    x.register_hook(lambda grad: seen.append(grad.item()))
    (x * 2 + x * 3).backward()
    assert seen == [5.0]


def test_a_handle_removes_its_hook():
    x = torch.ones(1, requires_grad=True)
    handle = x.register_hook(lambda grad: grad * 0)
    handle.remove()
    handle.remove()
    (x * 2).backward()
    assert x.grad.item() == 2
    with x.register_hook(lambda grad: grad * 0):
        pass
    (x * 2).backward()
    assert x.grad.item() == 4


def test_a_hook_needs_a_gradient_to_wait_for():
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        torch.ones(1).register_hook(lambda grad: None)


def test_a_hook_may_not_change_the_shape():
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: grad.sum())
    with pytest.raises(RuntimeError, match="hook '<lambda>' has changed the size of value"):
        (x * 2).sum().backward()


def test_an_exception_in_a_hook_arrives_and_leaves_no_gradient():
    x = torch.ones(2, requires_grad=True)

    def fail(grad):
        raise KeyError("from the hook")

    y = x * 2
    y.register_hook(fail)
    with pytest.raises(KeyError, match="from the hook"):
        y.sum().backward()
    assert x.grad is None
    assert torch.is_grad_enabled()


def test_post_accumulate_hook_can_step_at_once():
    x = torch.ones(1, requires_grad=True)

    def step(param):
        with torch.no_grad():
            param -= param.grad
        param.grad = None

    x.register_post_accumulate_grad_hook(step)
    (x * 3).backward()
    assert x.item() == -2
    assert x.grad is None
    with pytest.raises(RuntimeError, match="non-leaf"):
        (x * 2).register_post_accumulate_grad_hook(step)


def test_node_hooks():
    x = torch.ones(1, requires_grad=True)
    y = x * 2
    seen = []
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs[0].item(), outputs[0].item())))
    y.backward()
    assert seen == [(20.0, 10.0)]
    assert x.grad.item() == 20


def test_hook_on_the_accumulator_of_a_leaf():
    x = torch.ones(1, requires_grad=True)
    seen = []
    (x * 2).grad_fn.next_functions[0][0].register_hook(lambda *grads: seen.append(grads[1][0].item()))
    (x * 3).backward()
    assert seen == [3.0]


def test_retain_grad_keeps_an_intermediates_gradient():
    x = torch.ones(1, requires_grad=True)
    y = x * 2
    assert not y.retains_grad
    y.retain_grad()
    assert y.retains_grad
    (y * y).backward()
    assert y.grad.item() == 4
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        torch.ones(1).retain_grad()


def test_retain_grad_makes_no_circle():
    gc.collect()
    gc.disable()
    try:
        y = torch.ones(1, requires_grad=True) * 2
        y.retain_grad()
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_saved_tensors_pass_through_hooks():
    packed = []

    def pack(tensor):
        packed.append(tensor)
        return tensor.numpy().copy() if not tensor.requires_grad else tensor.detach().numpy().copy()

    x = torch.tensor([3.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, torch.from_numpy):
        y = x * x
    with torch.no_grad():
        x.zero_()
    y.backward()
    assert len(packed) == 2
    assert x.grad.item() == 6


@pytest.mark.parametrize("stop", [lambda x: x.detach_(), lambda x: x.requires_grad_(False)])
def test_hooks_of_a_leaf_that_no_longer_requires_grad_are_called(stop):
    x = torch.ones(2, requires_grad=True)
    seen = []
    y = (x * 2).sum()
    node = y.grad_fn.next_functions[0][0].next_functions[0][0]
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad))
    y.backward(retain_graph=True)
    x.register_hook(lambda grad: seen.append("first"))
    node.register_prehook(lambda grads: seen.append("pre"))
    node.register_hook(lambda inputs, outputs: seen.append("post"))
    x.grad = None
    seen.clear()
    stop(x)
    y.backward()
    assert seen == ["first", "pre", None, "post"] and x.grad is None


@pytest.mark.parametrize(
    "function", [lambda x: x.max(0), lambda x: x.sort(0), lambda x: x.topk(1), lambda x: x.median(0)]
)
def test_hooks_of_nodes_have_no_places_for_indices(function):
    x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
    values, _ = function(x)
    seen = []
    values.grad_fn.register_prehook(lambda outputs: seen.append(len(outputs)))
    values.grad_fn.register_hook(lambda inputs, outputs: seen.append((len(inputs), len(outputs))))
    values.sum().backward()
    assert seen == [1, (1, 1)]


def test_a_hook_before_a_node_may_replace_what_came_for_its_values():
    x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
    values, _ = x.max(0)
    values.grad_fn.register_prehook(lambda outputs: (outputs[0] * 5,))
    values.backward()
    assert x.grad.tolist() == [0.0, 5.0, 0.0]


def test_hooks_of_a_root_run_though_another_input_is_asked_for():
    root, other, seen = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), []
    root.register_hook(lambda grad: seen.append(grad.tolist()))
    torch.autograd.grad(root, other, torch.ones(2), allow_unused=True)
    torch.autograd.backward(root, torch.ones(2), inputs=[other])
    assert seen == [[1.0, 1.0]] * 2 and root.grad is None and other.grad is None
    # what lies on no way to it does not
    torch.autograd.grad((root * other).sum(), other)
    assert len(seen) == 2
