"""A result that only its own backward holds is not written; whoever gets hold of it later finds its numbers."""

import operator
import os
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight import memory
from rushlight.native import extension

pytestmark = pytest.mark.usefixtures("small_chains")


def chain(x, y):
    return ((x + y) * x - y).relu()


def operands():
    torch.manual_seed(0)
    return torch.randn(40, requires_grad=True), torch.randn(40), torch.randn(40)


def gradient(function, retain=None):
    """The gradient of x, and the `backward` of the result, through which alone somebody may reach it."""
    x, y, grad = operands()
    backward = function(x, y).backward
    backward(grad, retain_graph=retain)
    return x.grad, backward


def log_of(program):
    """How many of how many results were written in each pass, by what native code notes."""
    events = []
    extension.set_pending_log(events)
    try:
        program()
    finally:
        extension.set_pending_log(None)
    return [(count, kept) for kind, _, _, count, kept in events if kind == "run"]


PASSING = """
import rushlight as torch
from tests.compiler.test_passing_results import chain, extension, log_of, operands

extension.set_least_deferred(2)
x, y, grad = operands()
print(log_of(lambda: torch.compile(chain)(x, y).backward(grad)))
x.grad = None

def keeping():
    made = torch.compile(chain)(x, y)
    made.backward(grad)

print(log_of(keeping))
"""


# in a process of its own: hooks on several gradients, which another test may have had, change every later backward
@pytest.mark.skipif(extension is None, reason="nothing is put off")
def test_a_result_that_passes_is_not_written():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ran = subprocess.run([sys.executable, "-c", PASSING], env=environment, capture_output=True, text=True, timeout=120)
    assert ran.stdout.splitlines() == ["[(8, 1)]", "[(8, 2)]"], ran.stderr


def test_a_result_that_is_found_again_has_its_numbers():
    x, y, _ = operands()
    for retain in (None, False, True):
        found, backward = gradient(torch.compile(chain), retain)
        assert torch.equal(backward.__self__, chain(x, y))
        assert torch.equal(found, gradient(chain)[0])


def test_what_is_written_later_does_not_reach_a_result_that_waits():
    for write in (torch.Tensor.zero_, lambda x: x.numpy().fill(0), lambda x: x.copy_(torch.ones(40))):
        x, y, grad = operands()
        expected = chain(x, y)
        backward = torch.compile(chain)(x, y).backward
        backward(grad)
        write(x.detach())
        write(y)
        assert torch.equal(backward.__self__, expected)


def test_a_result_of_the_gradient_that_is_added_to():
    function = torch.compile(lambda x, other: (x * other + x) * other)
    results = []
    for form in (lambda x, other: (x * other + x) * other, function):
        x, _, grad = operands()
        x.grad = torch.ones(40)
        backward = form(x, x.grad).backward
        backward(grad)
        results.append((x.grad, backward.__self__))
    assert torch.equal(results[0][0], results[1][0])
    assert torch.equal(results[0][1], results[1][1])


def test_a_leaf_with_a_gradient_beside_one_without():
    results = []
    for form in (chain, torch.compile(chain)):
        x, _, grad = operands()
        y = torch.randn(40, requires_grad=True)
        y.grad = torch.ones(40)
        y.data.copy_(grad * 2)
        backward = form(x, y).backward
        backward(grad)
        results.append((x.grad, y.grad, backward.__self__))
    assert all(map(torch.equal, *results))


def test_steps_that_follow_a_result_that_waits():
    x, y, grad = operands()
    function = torch.compile(chain)

    @torch.compile
    def program(x, y):
        backward = function(x, y).backward
        backward(grad)
        made = backward.__self__.detach() * y
        return (made + function(x.detach(), y)) * y

    expected = (chain(x, y).detach() * y + chain(x.detach(), y)) * y
    assert torch.equal(program(x, y), expected)
    assert torch.equal(x.grad, gradient(chain)[0])


def test_parts_of_a_result_that_waits_were_kept():
    kept = []

    def parts(x, y):
        kept.append(x + y)
        kept.append(kept[-1] * x)
        return (kept[-1] - y).relu()

    x, y, _ = operands()
    found, backward = gradient(torch.compile(parts))
    assert torch.equal(kept[0], x + y)
    assert torch.equal(kept[1], (x + y) * x)
    assert torch.equal(backward.__self__, chain(x, y))
    assert torch.equal(found, gradient(chain)[0])


def test_memory_that_a_result_waited_for_is_given_back():
    y, grad = torch.randn(200_000), torch.randn(200_000)
    function = torch.compile(chain)
    x = torch.randn(200_000, requires_grad=True)
    before = memory.used()
    operator.methodcaller("backward", grad)(function(x, y))
    x.grad = None
    assert memory.used() <= before
