"""Where saved values go, and the count of writes."""

import pytest

import rushlight as torch
from rushlight.autograd import graph
from rushlight.nn import functional as F


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


POOLS = {
    "avg_pool1d": lambda x: F.avg_pool1d(x, 2),
    "adaptive_avg_pool1d": lambda x: F.adaptive_avg_pool1d(x, 2),
    "max_pool1d": lambda x: F.max_pool1d(x, 2),
    "adaptive_max_pool1d": lambda x: F.adaptive_max_pool1d(x, 2),
    "reflect": lambda x: F.pad(x, (1, 1), "reflect"),
    "replicate": lambda x: F.pad(x, (1, 1), "replicate"),
}


@pytest.mark.parametrize("name", POOLS)
def test_pools_and_borders_save_their_input(name):
    x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
    y = x * 1
    found = POOLS[name](y)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()
    found = POOLS[name](x).sum()
    found.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        found.backward()


@pytest.mark.parametrize("function", [lambda x: F.adaptive_avg_pool1d(x, 1), lambda x: F.pad(x, (1, 1), "circular")])
def test_means_of_all_and_borders_from_the_other_end_do_not(function):
    x = torch.ones(2, 3, 4, requires_grad=True)
    y = x * 1
    found = function(y)
    y.mul_(2)
    found.sum().backward()
    assert x.grad is not None
