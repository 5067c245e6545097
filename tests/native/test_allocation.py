"""Memory that ends: whichever allocation fails, native code raises a MemoryError or leaves the call to Python.

`make test-allocations` takes all samples instead of the first of each op.
"""

from __future__ import annotations

import gc
import os
from functools import partial

import numpy as np
import pytest

import rushlight as torch
from rushlight import native
from rushlight.native import extension
from tests.native.failure import ALL, ONE, SOURCES, Case, faults
from tests.native.test_twins import NATIVE
from tests.ops.samples import arguments, flat

pytestmark = [
    pytest.mark.skipif(extension is None, reason="there is no native layer"),
    pytest.mark.filterwarnings("ignore"),
]

SAMPLES = None if os.environ.get("RUSHLIGHT_ALLOCATIONS") == "all" else 1
# Python 3.11 to 3.13 loop forever where no memory is left for an exception: of Python's objects only a few fail
COUNTS = {
    "one": {"pool": ONE, "heap": ONE, "python": ONE},
    "those that follow too": {"pool": ALL, "heap": ALL, "python": 3},
}


@pytest.fixture(params=["one", pytest.param("those that follow too", marks=pytest.mark.thorough)])
def counts(request):
    """How many allocations of each source fail."""
    return COUNTS[request.param]


@pytest.fixture(scope="module", autouse=True)
def few_objects():
    """Thousands of collections that do not look at what the program holds anyway: 2 us each instead of 30 ms."""
    gc.collect()
    gc.freeze()


def assert_faultless(case: Case, counts: dict[str, int]) -> None:
    found = [
        f"{source}, {count}: {each}"
        for source, count in counts.items()
        for each in faults(case, SOURCES[source], count)
    ]
    assert not found, "\n".join(found[:5])


def works(prepare) -> bool:
    """Whether the call succeeds when there is memory; some samples are of errors."""
    try:
        prepare()[0]()
    except Exception:
        return False
    return True


def call_of(op, sample):
    args, kwargs = arguments(sample, dtype="float32", requires_grad=True)
    return partial(op.function, *args, **kwargs), [*flat(args), *flat(tuple(kwargs.values()))]


def backward_of(op, sample):
    call, tensors = call_of(op, sample)
    results = [each for each in flat(call()) if each.requires_grad and each.grad_fn is not None]
    return partial(results[0].backward, torch.ones_like(results[0])), tensors


def inplace_of(op, sample):
    args, kwargs = arguments(sample, dtype="float32")
    return partial(getattr(args[0], op.name + "_"), *args[1:], **kwargs), [*flat(args), *flat(tuple(kwargs.values()))]


@pytest.mark.parametrize("op", NATIVE, ids=[op.name for op in NATIVE])
def test_an_op_survives_each_failure(op, counts):
    for number, sample in enumerate(op.samples()[:SAMPLES]):
        for kind in (call_of, backward_of, inplace_of):
            prepare = partial(kind, op, sample)
            if works(prepare):
                assert_faultless(
                    Case(f"{op.name}, sample {number}, {kind.__name__}", prepare, kind is not backward_of), counts
                )


def random_tensors():
    torch.manual_seed(0)
    x = torch.randn(4, 6, requires_grad=True)
    y = torch.randn(4, 6)
    return x, y


def tensor_calls():
    """Operators, indexing and methods of the base type."""
    mask, places = torch.tensor([True, False, True, False]), torch.tensor([0, 2])
    return {
        "operator": lambda x, y: partial(x.__mul__, y),
        "comparison": lambda x, y: partial(x.__lt__, y),
        "part": lambda x, y: partial(x.__getitem__, (slice(1, 3), 0)),
        "positions": lambda x, y: partial(x.__getitem__, places),
        "mask": lambda x, y: partial(x.__getitem__, mask),
        "write a part": lambda x, y: partial(y.__setitem__, slice(1, 3), 2.0),
        "write positions": lambda x, y: partial(y.__setitem__, places, 2.0),
        "in place": lambda x, y: partial(y.__iadd__, 1),
        "copy": lambda x, y: partial(y.copy_, x.detach()),
        "fill": lambda x, y: partial(y.fill_, 3),
        "zero": lambda x, y: y.zero_,
        "contiguous": lambda x, y: x.T.contiguous,
        "to": lambda x, y: partial(x.to, torch.float64),
        "long": lambda x, y: y.long,
        "detach": lambda x, y: x.detach,
        "rows": lambda x, y: x.__iter__,
        "item": lambda x, y: y[0, 0].item,
        "backward": lambda x, y: ((x * y).tanh() + x).sum().backward,
        "backward of a broadcast": lambda x, y: partial(x.expand(2, 4, 6).backward, torch.ones(2, 6, 4).mT),
        "backward of many": lambda x, y: torch.cat([*x.split(1), *(x * y).chunk(2)]).sum().backward,
    }


@pytest.mark.parametrize("name", tensor_calls())
def test_a_method_of_a_tensor_survives_each_failure(name, counts):
    make = tensor_calls()[name]

    def prepare():
        x, y = random_tensors()
        return make(x, y), [x, y]

    assert_faultless(Case(name, prepare, "backward" not in name), counts)


MODULES = {
    "linear": lambda: (torch.nn.Linear(6, 3), (4, 6)),
    "sequential": lambda: (torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2)), (4, 6)),
    "compiled": lambda: (torch.compile(MODULES["sequential"]()[0]), (4, 6)),
    "convolution": lambda: (torch.nn.Conv2d(2, 3, 3), (1, 2, 5, 5)),
    "batch norm": lambda: (torch.nn.BatchNorm1d(6).eval(), (4, 6)),
    "layer norm": lambda: (torch.nn.LayerNorm(6), (4, 6)),
    "lstm": lambda: (torch.nn.LSTM(6, 4), (3, 2, 6)),
    "gru": lambda: (torch.nn.GRU(6, 4), (3, 2, 6)),
}


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("part", ["forward", "backward"])
def test_a_module_survives_each_failure(name, part, counts):
    def prepare():
        torch.manual_seed(0)
        module, shape = MODULES[name]()
        input = torch.randn(shape)
        call = partial(module, input)
        if part == "backward":
            call = flat(call())[0].sum().backward
        return call, [input]

    assert_faultless(Case(f"{name}, {part}", prepare, part == "forward"), counts)


OPTIMIZERS = {"SGD": {"lr": 0.1, "momentum": 0.9}, "Adam": {}, "AdamW": {}, "RMSprop": {}, "Adagrad": {}}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("part", ["step", "compiled step", "zero_grad", "clip"])
def test_an_optimizer_survives_each_failure(name, part, counts):
    def prepare():
        x, y = random_tensors()
        y.requires_grad_()
        optimizer = getattr(torch.optim, name)([x, y], **OPTIMIZERS[name])
        (x * y).sum().backward()
        optimizer.step()
        if part == "clip":
            return partial(torch.nn.utils.clip_grad_norm_, [x, y], 0.1), [x, y]
        if part == "compiled step":
            step = torch.compile(optimizer.step)
            step()
            return step, [x, y]
        return getattr(optimizer, part), [x, y]

    assert_faultless(Case(f"{name}, {part}", prepare, False), counts)


def creations():
    x = torch.ones(3, 4)
    return {
        "tensor": partial(torch.tensor, [[1.0, 2.0], [3.0, 4.0]]),
        "as_tensor": partial(torch.as_tensor, [1, 2, 3]),
        "from_numpy": partial(torch.from_numpy, np.ones(3)),
        "zeros": partial(torch.zeros, 3, 4),
        "full": partial(torch.full, (3, 4), 2.5),
        "eye": partial(torch.eye, 3),
        "ones_like": partial(torch.ones_like, x),
        "full_like": partial(torch.full_like, x, 2),
        "new_zeros": partial(x.new_zeros, 2, 3),
        "arange": partial(torch.arange, 10),
        "linspace": partial(torch.linspace, 0, 1, 5),
        "parameters": torch.nn.Linear(3, 4).parameters,
    }


@pytest.mark.parametrize("name", creations() if extension is not None else [])
def test_a_creation_survives_each_failure(name, counts):
    assert_faultless(Case(name, lambda: (creations()[name], [])), counts)


def draws():
    probabilities, positive = torch.tensor([0.2, 0.3, 0.5]), torch.tensor([0.5, 1.5, 3.0])
    normal = torch.distributions.Normal(torch.zeros(3), positive)
    categorical = torch.distributions.Categorical(probabilities)
    return {
        "rand": partial(torch.rand, 3, 4),
        "randn": partial(torch.randn, 3, 4),
        "randint": partial(torch.randint, 0, 9, (3, 4)),
        "randperm": partial(torch.randperm, 7),
        "normal": partial(torch.normal, 0.0, positive),
        "bernoulli": partial(torch.bernoulli, probabilities),
        "multinomial": partial(torch.multinomial, probabilities, 2),
        "poisson": partial(torch.poisson, positive),
        "dropout": partial(torch.nn.functional.dropout, positive),
        "Normal": normal.sample,
        "Categorical": categorical.sample,
        "Categorical made": partial(torch.distributions.Categorical, probabilities),
        "log_prob": partial(categorical.log_prob, torch.tensor([0, 2])),
        "Gamma": torch.distributions.Gamma(positive, positive).sample,
    }


@pytest.mark.parametrize("name", draws() if extension is not None else [])
def test_a_draw_survives_each_failure_and_is_the_same_as_before(name, counts):
    def prepare():
        call = draws()[name]
        torch.manual_seed(0)
        return call, []

    assert_faultless(Case(name, prepare), counts)


def test_a_failure_in_a_thread_reaches_the_caller():
    images = torch.ones(64, 4, 32, 32)
    call = partial(torch.nn.functional.avg_pool2d, images, 3, 1)
    assert faults(Case("avg_pool2d in threads", lambda: (call, [])), SOURCES["heap"], ONE) == []


def test_memory_that_does_not_fail_gives_the_result():
    result, error, failed = extension.call_with_failure(partial(torch.add, 1, torch.ones(3)), 7, 10**6, 1)
    assert result.tolist() == [2, 2, 2]
    assert error is None and failed == 0


def test_the_failure_of_memory_is_a_memory_error_of_torch():
    _, error, failed = extension.call_with_failure(partial(torch.add, torch.ones(3), 1), SOURCES["pool"], 1, ALL)
    assert failed > 0
    assert "DefaultCPUAllocator: can't allocate memory" in str(error)


def test_failures_do_not_nest():
    inner = partial(extension.call_with_failure, int, 1, 1, 1)
    _, error, _ = extension.call_with_failure(inner, 1, 1, 1)
    assert str(error) == "memory is failing already"


def test_no_call_is_left_to_python_for_good():
    before = next(each for each in native.report() if each.name == "add").forward.accepted
    torch.ones(3) + torch.ones(3)
    assert next(each for each in native.report() if each.name == "add").forward.accepted == before + 1
