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
