"""Hostile calls of native entry points: exceptions only, never a crash."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.ops.machine.late import registry
from tests.ops.samples import SAMPLED

pytestmark = [
    pytest.mark.skipif(extension is None, reason="there is no native layer here"),
    pytest.mark.filterwarnings("ignore"),
]

NATIVE = [op for op in registry().values() if hasattr(op.function, "_native")]


def hostile(random):
    """A value that no call wants; another one each time."""
    choices = [
        lambda: None,
        lambda: object(),
        lambda: "text",
        lambda: b"bytes",
        lambda: int(random.integers(-5, 5)),
        lambda: 2**70,
        lambda: -(2**63),
        lambda: float(random.choice([0.5, -1e300, np.nan, np.inf])),
        lambda: 1 + 2j,
        lambda: True,
        lambda: [],
        lambda: (),
        lambda: [None, 3],
        lambda: (2**40, 2**40),
        lambda: {},
        lambda: slice(None, 2**70),
        lambda: np.float32(3),
        lambda: np.zeros((2, 2)),
        lambda: torch.ones(0),
        lambda: torch.ones(()),
        lambda: torch.ones(3, requires_grad=True),
        lambda: torch.ones(2, 3).T,
        lambda: torch.ones(1).expand(4),
        lambda: torch.arange(6).reshape(2, 3),
        lambda: torch.ones(2, dtype=torch.float16),
        lambda: torch.ones(2, dtype=torch.complex64),
        lambda: torch.tensor([True, False]),
        lambda: [torch.ones(2), torch.ones(2, 2)],
        lambda: torch.Tensor,
        lambda: torch.Tensor.__new__(torch.Tensor),
    ]
    return choices[random.integers(len(choices))]()


@pytest.mark.parametrize("op", NATIVE, ids=[op.name for op in NATIVE])
def test_ops_refuse_anything_in_order(op):
    random = np.random.default_rng(len(op.name))
    for function in filter(None, (op.function, op.inplace)):
        for _ in range(60):
            args = [hostile(random) for _ in range(random.integers(0, 5))]
            names = ["input", "dim", "out", "weight", "other", "nonsense"]
            kwargs = {names[random.integers(6)]: hostile(random) for _ in range(random.integers(0, 2))}
            try:
                function(*args, **kwargs)
            except Exception:
                continue


@pytest.mark.parametrize("op", [op for op in SAMPLED if op in NATIVE], ids=lambda op: op.name)
def test_samples_with_one_argument_replaced(op):
    random = np.random.default_rng(0)
    for sample in op.samples()[:4]:
        for place in range(len(sample.args)):
            for _ in range(6):
                args = [torch.from_numpy(each.copy()) if isinstance(each, np.ndarray) else each for each in sample.args]
                args[place] = hostile(random)
                try:
                    op.function(*args, **sample.kwargs)
                except Exception:
                    continue


def test_fields_refuse_what_they_cannot_hold():
    x = torch.ones(2)
    for name in ("_array", "_storage", "_grad", "_base", "_cut", "_created", "_output", "_view_version"):
        with pytest.raises((TypeError, AttributeError)):
            setattr(x, name, object())
    empty = type(x).__mro__[1].__new__(torch.Tensor)
    for use in (lambda: empty + 1, lambda: empty.sum(), lambda: empty[0], lambda: empty.shape, lambda: len(empty)):
        with pytest.raises((TypeError, AttributeError, ValueError, RuntimeError)):
            use()


def test_nodes_refuse_what_they_cannot_hold():
    node = (torch.ones(2, requires_grad=True) * 2).grad_fn
    for name, wrong in (("edges", (1,)), ("numbers", (1, 2, 3, 4)), ("outputs", (1,)), ("place", 3)):
        with pytest.raises((TypeError, ValueError)):
            setattr(node, name, wrong)


def test_backward_refuses_what_is_no_root():
    for roots in (None, [], [1], [(1, 2)], [(torch.ones(2), 3)]):
        try:
            extension.run_backward(roots, False)
        except TypeError:
            continue
    with pytest.raises(TypeError):
        extension.connect(nonsense=1)
    with pytest.raises(TypeError):
        extension.Function(1, 2)


def test_a_hook_that_runs_backward_again():
    x = torch.ones(3, requires_grad=True)
    y = x * 2

    def again(grad):
        with torch.enable_grad():
            (x * 3).sum().backward()
        return grad

    y.register_hook(again)
    y.sum().backward()
    assert x.grad.tolist() == [5, 5, 5]


def test_an_exception_in_a_hook_leaves_the_engine_usable():
    x = torch.ones(3, requires_grad=True)
    y = x * 2

    def fail(grad):
        raise ZeroDivisionError

    y.register_hook(fail)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    assert torch.is_grad_enabled()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]


def test_a_hook_that_frees_the_graph_it_runs_in():
    x = torch.ones(3, requires_grad=True)
    kept = [(x * 2).exp()]
    kept[0].register_hook(lambda grad: kept.clear())
    kept[0].sum().backward()
    assert kept == []
    gc.collect()
    assert x.grad is not None


def test_overlapping_memory_in_place():
    x = torch.arange(10.0)
    with torch.no_grad():
        with pytest.raises(RuntimeError, match="refer to a single memory location"):
            x[1:].add_(x[:-1])
        x[::2].add_(x[1::2])
    assert x.tolist() == [1, 1, 5, 3, 9, 5, 13, 7, 17, 9]


def test_tensors_changed_by_other_threads():
    x = torch.ones(1000)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            x.mul_(1.0)
            x.data = torch.ones(1000)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for each in writers:
        each.start()
    try:
        for _ in range(300):
            weight = torch.ones(1000, requires_grad=True)
            try:
                (weight * x).tanh().sum().backward()
            except RuntimeError:
                continue  # the write came between
    finally:
        stop.set()
        for each in writers:
            each.join()


def test_nothing_outlives_its_last_reference():
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).exp()
    watched = weakref.ref(y), weakref.ref(y.grad_fn)
    gc.disable()
    try:
        del y
        assert [each() for each in watched] == [None, None]
    finally:
        gc.enable()


def test_a_subclass_with_a_finalizer():
    gone = []

    class Mine(torch.Tensor):
        def __del__(self):
            gone.append(1)

    made = torch.ones(2).as_subclass(Mine)
    assert isinstance(made * 2, torch.Tensor)
    del made
    # the product is one too
    assert gone == [1, 1]
