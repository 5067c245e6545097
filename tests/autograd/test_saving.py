"""Where saved values go, and the count of writes."""

import pytest

import rushlight as torch
from rushlight.autograd import graph


def test_values_saved_on_the_cpu_are_copies():
    x = torch.tensor([2.0], requires_grad=True)
    with graph.save_on_cpu():
        y = (x * x).sum()
    with torch.no_grad():
        x.mul_(3)
    y.backward()
    assert x.grad.item() == 4


def test_hooks_on_saved_values_may_be_forbidden():
    with graph.disable_saved_tensors_hooks("not here"), pytest.raises(RuntimeError, match="not here"):
        graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__()
    with graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        pass


def test_a_write_behind_our_back_is_counted():
    x = torch.ones(1)
    graph.increment_version(x)
    graph.increment_version([x, x])
    assert x._version == 3


def test_hooks_may_not_be_forbidden_where_they_are_in_use():
    with (
        graph.saved_tensors_hooks(lambda x: x, lambda x: x),
        pytest.raises(RuntimeError, match="not here"),
        graph.disable_saved_tensors_hooks("not here"),
    ):
        pass


def test_saved_tensors_may_be_changed_where_that_is_allowed():
    x = torch.tensor([1.0], requires_grad=True)
    with graph.allow_mutation_on_saved_tensors() as block:
        y = x * 2
        z = y * y
        y.mul_(3)
        z.backward(retain_graph=True)
        assert x.grad.item() == 8
        with pytest.raises(RuntimeError, match="contexts cannot be nested"), graph.allow_mutation_on_saved_tensors():
            pass
        block.clear()
        with pytest.raises(AssertionError, match="Trying to backward outside"):
            z.backward()
    with graph.allow_mutation_on_saved_tensors():
        z = x * x
    with pytest.raises(AssertionError, match="Trying to backward outside of the 'allow_mutation_on_saved_tensors'"):
        z.backward()


def test_counting_a_write_is_for_tensors():
    with pytest.raises(RuntimeError, match="expect a Iterable"):
        graph.increment_version(3)
    with pytest.raises(RuntimeError, match="each element of the iterable to be a tensor"):
        graph.increment_version([3])
