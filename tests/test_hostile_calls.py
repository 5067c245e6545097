"""Hostile calls: huge, negative, no numbers, objects that raise, threads, forks and signals in the middle.

They end with exceptions, at once, and in torch's words where torch has some; the process goes on.
"""

import json
import subprocess
import sys

import pytest

from tests.native.processes import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit on memory is Linux's")

MINUTES = 3
# what Python raises of itself, and what hostile objects raise
ORDINARY = "TypeError ValueError RuntimeError IndexError OverflowError AttributeError AssertionError Surprise".split()


if sys.platform == "linux":
    from tests.hostile_calls import OBJECTS, listed, with_objects

    LISTED = list(listed())
else:
    OBJECTS, LISTED = {}, []


@pytest.fixture(scope="module")
def ends():
    """How each call ends: all run in one process, with a limit on its memory."""
    command = [sys.executable, "-m", "tests.hostile_calls", "rushlight"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60 * MINUTES)
    found = {}
    last = None
    for line in done.stdout.splitlines():
        name, call, *end = json.loads(line)
        last = call
        if end:
            found[name, call] = end
    assert done.returncode == 0, f"the process ended in {last}: {done.stderr}"
    return found


def test_the_list_is_long():
    assert len({call for call, *_ in LISTED}) >= 100


@pytest.mark.parametrize(("call", "kind", "words"), LISTED, ids=[call for call, *_ in LISTED])
def test_a_call_is_refused_at_once_as_in_torch(ends, call, kind, words):
    kinds, said, unchanged = ends["", call]
    assert kind == kinds[0]
    assert said.startswith(words)
    assert unchanged


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_that_raises_or_lies_ends_no_process(ends, name):
    for call in [call for each, call in with_objects() if each == name]:
        kinds, said, unchanged = ends[name, call]
        assert not kinds or set(kinds) & set(ORDINARY), f"{call}: {kinds[0]} {said}"
        assert "RecursionError" not in kinds, call
        assert unchanged or not kinds, call


def test_a_fork_in_a_hook_can_compute_and_so_can_its_parent():
    code = """
import os
torch.set_num_threads(2)
x = torch.randn(300, 300, requires_grad=True)
ends = []
def hook(grad):
    child = os.fork()
    if child == 0:
        with torch.enable_grad():
            y = torch.randn(300, 300, requires_grad=True)
            (y @ y).tanh().sum().backward()
        os._exit(7 if bool(torch.isfinite(y.grad).all()) else 1)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
product = x @ x
product.register_hook(hook)
product.tanh().sum().backward()
print(ends, bool(torch.isfinite(x.grad).all()))
"""
    assert run(code) == "[7] True"


def test_a_child_that_was_forked_in_a_hook_goes_on_with_backward():
    code = """
import os
torch.set_num_threads(2)
torch.manual_seed(0)
x = torch.randn(300, 300, requires_grad=True)
children = []
product = x @ x
product.register_hook(lambda grad: children.append(os.fork()))
product.tanh().sum().backward()
total = float(x.grad.sum())
torch.optim.Adam([x], lr=0.1).step()
if children == [0]:
    os._exit(int(total) % 100 + 1)
print(os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == int(total) % 100 + 1)
"""
    assert run(code) == "True"


def test_processes_of_the_fork_context_start_in_a_hook():
    code = """
import multiprocessing
def work(queue, x):
    with torch.enable_grad():
        y = x.clone().requires_grad_()
        (y @ y).sum().backward()
    queue.put(float(y.grad.sum()))
context = multiprocessing.get_context("fork")
x = torch.ones(200, 200, requires_grad=True)
def hook(grad):
    queue = context.SimpleQueue()
    child = context.Process(target=work, args=(queue, x.detach()))
    child.start()
    print(queue.get())
    child.join()
product = x @ x
product.register_hook(hook)
product.sum().backward()
print(float(x.grad.sum()))
"""
    assert run(code) == "16000000.0\n16000000.0"


def test_threads_that_work_on_the_same_tensors_at_once():
    code = """
import threading, time, warnings
warnings.simplefilter("ignore")
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
adam = torch.optim.Adam(model.parameters(), lr=1e-3)
sgd = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
x, shared = torch.randn(256, 64), torch.ones(1000)
odd, end = [], threading.Event()

def again(work):
    while not end.is_set():
        try:
            work()
        except (RuntimeError, AttributeError):
            pass  # what one thread saved or just found, another has written to or taken away
        except BaseException as error:
            odd.append(error)

def backward():
    model(x).square().mean().backward()

def write():
    with torch.no_grad():
        for each in model.parameters():
            each.add_(torch.zeros_like(each))

def resize():
    y = torch.ones(10)
    y.resize_(1000)
    y.resize_(3)

def on_shared():
    shared.mul_(1.0)
    shared[:10].sum()
    shared.clone()

works = [backward, backward, adam.step, sgd.step, adam.zero_grad, write, resize, on_shared, on_shared]
threads = [threading.Thread(target=again, args=(each,)) for each in works]
for each in threads: each.start()
time.sleep(1.5)
end.set()
for each in threads: each.join()
model.zero_grad()
backward()
adam.step()
print(odd, all(each.grad.shape == each.shape for each in model.parameters()), float(shared.sum()))
"""
    assert run(code) == "[] True 1000.0"


def test_a_signal_handler_may_raise_in_the_middle_of_anything():
    # but in a `with torch.no_grad()`: Python promises no end of it then, in torch neither
    code = """
import signal, time
class Stop(Exception): pass
def stop(*_): raise Stop
signal.signal(signal.SIGALRM, stop)
torch.manual_seed(0)
x = torch.randn(60, 60, requires_grad=True)
model = torch.nn.Sequential(torch.nn.Linear(60, 60), torch.nn.ReLU(), torch.nn.Linear(60, 1))
optimizer = torch.optim.Adam(model.parameters())

def train():
    optimizer.zero_grad()
    model(x.detach()).square().mean().backward()
    optimizer.step()

def compute():
    (x @ x).tanh().sum().backward()
    torch.nn.functional.max_pool2d(torch.ones(1, 1, 64, 64), 3)
    torch.cat([x, x]).sort()
    torch.tensor([[1.0] * 100] * 10)

def write():
    y = torch.ones(1000)
    for _ in range(20): y.add_(1).mul_(0.5)

def fail():
    for wrong in (lambda: x.reshape(7, 7), lambda: x + torch.ones(7), lambda: torch.zeros(2**62)):
        try: wrong()
        except RuntimeError: pass

stopped, turn, end = 0, 0, time.time() + 2
while time.time() < end:
    for each in (train, compute, write, fail):
        turn += 1
        try:
            signal.setitimer(signal.ITIMER_REAL, 2e-5 * (turn % 31 + 1))
            each()
            signal.setitimer(signal.ITIMER_REAL, 0)
        except Stop:
            stopped += 1
x.grad = None
(x @ x).sum().backward()
ones = torch.ones(60, 60)
right = torch.allclose(x.grad, ones @ x.detach().T + x.detach().T @ ones, atol=1e-3)
train()
print(stopped > 20, torch.is_grad_enabled(), right, bool((torch.zeros(1) / 0).isnan()))
"""
    assert run(code) == "True True True True"
