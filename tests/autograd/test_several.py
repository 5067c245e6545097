"""One hook for the gradients of several tensors."""

import pytest

import rushlight as torch
from rushlight.autograd.graph import register_multi_grad_hook


def leaves(count):
    return [torch.ones(2, requires_grad=True) for _ in range(count)]


def values(grads):
    return [each if each is None else each.tolist() for each in grads]


def test_the_hook_is_called_when_all_gradients_of_a_backward_are_there():
    a, b, c = leaves(3)
    seen = []
    handle = register_multi_grad_hook((a, b, c), lambda grads: seen.append(values(grads)))
    (a * b * 2).sum().backward()
    (a * b * c).sum().backward()
    assert seen == [[[2.0, 2.0], [2.0, 2.0], None], [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]]
    handle.remove()
    (a * b).sum().backward()
    assert len(seen) == 2


def test_any_gradient_calls_the_hook_once_in_each_backward():
    a, b = leaves(2)
    seen = []
    with register_multi_grad_hook((a, b), lambda grad: seen.append(grad.tolist()), mode="any"):
        (a * b).sum().backward()
        (a * b * 3).sum().backward()
        (b * 2).sum().backward()
    assert seen == [[1.0, 1.0], [3.0, 3.0], [2.0, 2.0]]


def test_hooks_on_tensors_inside_the_graph():
    (a,) = leaves(1)
    b = a * 2
    c, d = b * 3, b * 4
    seen = []
    register_multi_grad_hook((c, d), lambda grads: seen.append(values(grads)))
    (c + d).sum().backward(retain_graph=True)
    c.sum().backward(retain_graph=True)
    torch.autograd.grad(d.sum(), b, retain_graph=True)
    assert seen == [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], None], [None, [1.0, 1.0]]]


def test_leaves_cannot_be_followed_in_grad():
    a, b = leaves(2)
    register_multi_grad_hook((a, b), lambda grads: None)
    with pytest.raises(RuntimeError, match="A leaf node was passed to _will_engine_execute_node"):
        torch.autograd.grad((a * b).sum(), a)


def test_a_leaf_that_grad_does_not_ask_for_has_no_gradient():
    (a,) = leaves(1)
    b = a * 2
    seen = []
    register_multi_grad_hook((a, b), lambda grads: seen.append(values(grads)))
    torch.autograd.grad((b * 3).sum(), b)
    assert seen == [[None, [3.0, 3.0]]]


def test_what_has_no_gradient_is_refused():
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        register_multi_grad_hook((torch.ones(1),), lambda grads: None)
    with pytest.raises(ValueError, match=r"Expects mode to be one of \('all', 'any'\) but got foo"):
        register_multi_grad_hook(leaves(1), lambda grads: None, mode="foo")


def test_a_view_that_was_made_in_inference_mode_has_no_gradient_to_wait_for():
    (a,) = leaves(1)
    with torch.inference_mode():
        view = a[:1]
    assert view.requires_grad
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        register_multi_grad_hook((a, view), lambda grads: None)


def test_the_first_gradient_is_one_of_those_that_are_wanted():
    (a,) = leaves(1)
    seen = []
    register_multi_grad_hook((torch.ones(1), a), lambda grad: seen.append(grad.tolist()), mode="any")
    (a * 3).sum().backward()
    assert seen == [[3.0, 3.0]]


def test_a_single_root_counts_for_none():
    (a,) = leaves(1)
    seen = []
    b = a * 2
    register_multi_grad_hook((b,), lambda grads: seen.append(values(grads)))
    b.backward(torch.ones(2), retain_graph=True)
    assert seen == []
    (b * 1).sum().backward()
    assert seen == [[[1.0, 1.0]]]


def test_autograd_grad_with_respect_to_a_tensor_that_nothing_leads_to_cannot_be_counted():
    (a,) = leaves(1)
    with torch.no_grad():
        view = a[:1]
    part = view[0]
    register_multi_grad_hook((part, a), lambda grads: None)
    with pytest.raises(RuntimeError, match="A leaf node was passed to _will_engine_execute_node"):
        torch.autograd.grad(part * 2, part)
