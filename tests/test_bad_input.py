"""Bad input: whatever an op, a method or an index is given, it returns a tensor or raises an ordinary, clear error."""

import contextlib
import inspect
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rushlight as torch
from rushlight import distributions, nn, optim
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.late import registry
from tests import hostile

# the same calls each time, and no files: this runs in CI
settings.register_profile(
    "hostile", derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)

OPS = sorted(name for name, op in registry().items() if op.samples is not None and not name.startswith("_"))
ARRAYS = [np.arange(6, dtype="float32").reshape(2, 3), np.arange(3), np.array(2.5), np.zeros((0, 3))]
ARRAYS += [np.array([True, False]), hostile.Expanded(np.ones((1, 2), "float32"))]
ANY = hostile.strange_arrays() + hostile.VALUES + [2, 3, (2, 3), torch.float32]
ANYTHING = st.sampled_from(ANY)


@pytest.fixture(autouse=True, scope="module")
def bounds(tmp_path_factory):
    """Little memory, and a folder of its own: text may be taken for the name of a file."""
    with hostile.little_memory(), contextlib.chdir(tmp_path_factory.mktemp("hostile")):
        yield


def few(examples):
    return settings(settings.get_profile("hostile"), max_examples=examples)


# make test tries a few calls of each name; the same and more are for make test-slow
how_many = pytest.mark.parametrize("count", [4, pytest.param(16, marks=pytest.mark.thorough)])


def check(function, args, kwargs=None):
    """Call with arrays made tensors; say what is wrong with the outcome."""
    kwargs = {name: hostile.as_tensors(value) for name, value in (kwargs or {}).items()}
    found = hostile.complaint(function, hostile.as_tensors(list(args)), kwargs)
    assert found is None, found


def each_draw(name, count):
    """Sources of choices for the calls of a name, the same each time; Hypothesis takes 5 ms to begin."""
    return [random.Random(f"{name} {turn}") for turn in range(count)]


def anything(draw, most=3):
    return [draw.choice(ANY) for _ in range(draw.randint(0, most))]


@how_many
@pytest.mark.parametrize("name", OPS)
def test_ops(name, count):
    op = registry()[name]
    samples = op.samples()
    forms = [op.function] if op.inplace is None else [op.function, op.inplace]
    for draw in each_draw(name, count):
        # how many arguments to change, which ones, and into what
        changes = [(draw.randint(0, 5), draw.randint(0, hostile.CHOICES)) for _ in range(draw.randint(1, 2))]
        args, kwargs = hostile.mutated(draw.choice(samples), changes)
        check(draw.choice(forms), args, kwargs)


# what sets the state of the process, or is NumPy's business
GLOBAL = "_ set_ manual_seed seed save load no_grad enable_grad inference_mode get_rng_state initial_seed compile"
FUNCTIONS = sorted(
    name
    for name, value in vars(torch).items()
    if inspect.isfunction(value) and name not in NAMESPACES[""] and not name.startswith(tuple(GLOBAL.split()))
)
METHODS = sorted(
    name
    for name in dir(torch.Tensor)
    if callable(getattr(torch.Tensor, name)) and not name.startswith("__") and name not in NAMESPACES[""]
)


@how_many
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, count):
    options = "dtype device out requires_grad size dim".split()
    for draw in each_draw(name, count):
        check(getattr(torch, name), anything(draw), {draw.choice(options): value for value in anything(draw, most=1)})


@how_many
@pytest.mark.parametrize("name", METHODS)
def test_methods(name, count):
    for draw in each_draw(name, count):
        args = [draw.choice(ARRAYS), *anything(draw)]
        check(lambda *all_: tensor_only(getattr(torch.Tensor, name)(*all_)), args)


def tensor_only(result):
    """Methods such as numpy() may return arrays."""
    return None if isinstance(result, np.ndarray) else result


PARTS = st.one_of(
    ANYTHING,
    st.sampled_from([None, ..., True, False, 0, -1, 7, [0, 1], [[0], [1]], [True, False], np.array([-9]), [1.5]]),
    st.builds(
        slice,
        st.sampled_from([None, 0, -1, 5, 10**30, 1.5, "a"]),
        st.sampled_from([None, 2, -7, 2**70]),
        st.sampled_from([None, 1, 2, 0, -1, 1.5]),
    ),
)
INDICES = st.one_of(PARTS, st.lists(PARTS, max_size=4).map(tuple))


@few(400)
@given(st.sampled_from(ARRAYS), INDICES)
def test_indexing(array, index):
    check(lambda x, i: x[i], [array, index])


@few(400)
@given(st.sampled_from(ARRAYS), INDICES, st.one_of(ANYTHING, st.sampled_from([1, 2.5, np.ones(2), np.arange(3)])))
def test_assignment(array, index, value):
    check(torch.Tensor.__setitem__, [array, index, value])


@few(60)
@given(st.sampled_from(["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"]), st.data())
def test_optimizers(name, data):
    params = data.draw(st.one_of(ANYTHING, st.lists(st.one_of(st.sampled_from(ARRAYS), ANYTHING), max_size=2)))
    names = "lr betas eps weight_decay momentum alpha".split()
    options = data.draw(st.dictionaries(st.sampled_from(names), ANYTHING, max_size=2))
    check_python_layer(lambda *args, **kwargs: getattr(optim, name)(*args, **kwargs) and None, [params], options)


@few(100)
@given(st.sampled_from(["Normal", "Bernoulli", "Categorical"]), st.lists(ANYTHING, max_size=3))
def test_distributions(name, args):
    check_python_layer(lambda *all_: getattr(distributions, name)(*all_).sample((2,)), args)


@few(100)
@given(st.sampled_from(["Linear", "Embedding", "LayerNorm", "Dropout"]), st.lists(ANYTHING, max_size=3))
def test_modules(name, args):
    check_python_layer(lambda *all_: getattr(nn, name)(*all_) and None, args)


def check_python_layer(function, args, kwargs=None):
    """In torch these are Python: like there, an argument of a wrong kind may be known by the attribute it lacks."""
    kwargs = {name: hostile.as_tensors(value) for name, value in (kwargs or {}).items()}
    args = hostile.as_tensors(list(args))
    _, error = hostile.outcome(function, args, kwargs)
    if error is not None and not isinstance(error, (AttributeError, KeyError, *hostile.FAULTS)):
        assert hostile.unclear(error) is None
    if isinstance(error, AttributeError):
        assert any(error.obj is each for each in [*args, *kwargs.values()]), error


HUGE = 10**18


@pytest.mark.parametrize(
    "ask",
    [
        lambda: torch.zeros(HUGE),
        lambda: torch.ones(10**9, 10**9),
        lambda: torch.full((HUGE,), 1.0),
        lambda: torch.empty(2**62, 2**62),
        lambda: torch.arange(HUGE),
        lambda: torch.linspace(0, 1, HUGE),
        lambda: torch.eye(10**10),
        lambda: torch.rand(HUGE),
        lambda: torch.randn(HUGE),
        lambda: torch.randint(3, (HUGE,)),
        lambda: torch.randperm(HUGE),
        lambda: torch.ones(1).expand(HUGE) + 1,
        lambda: torch.ones(1).expand(HUGE).clone(),
        lambda: torch.ones(2).repeat(HUGE),
        lambda: torch.ones(2).repeat_interleave(HUGE),
        lambda: torch.ones(2).new_zeros(HUGE),
        lambda: torch.bincount(torch.tensor([1]), minlength=HUGE),
        lambda: torch.ones(2).tensor_split(HUGE),
        lambda: torch.ones(1).expand(HUGE, 1) @ torch.ones(1, 1),
        lambda: nn.Linear(10**9, 10**9),
    ],
)
def test_huge_shapes_are_refused_at_once(ask):
    with hostile.in_time(), pytest.raises((RuntimeError, ValueError, TypeError)) as raised:
        ask()
    assert str(raised.value)


def test_a_huge_view_takes_no_memory():
    assert torch.ones(1).expand(HUGE).shape == (HUGE,)


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.add_(1),
        lambda x: x.copy_(torch.zeros(3, 2)),
        lambda x: x.__setitem__(0, torch.zeros(2)),
        lambda x: x.mul_(x),
    ],
)
def test_elements_that_share_memory_are_not_written(write):
    x = torch.ones(1, 2).expand(3, 2)
    if write(torch.ones(3, 2)) is None:
        x = torch.ones(2, 1).expand(2, 2)
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        write(x)
    assert (x == 1).all()


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda x: x.add_(x), [0, 2, 4, 6, 8]),
        (lambda x: x.mul_(x), [0, 1, 4, 9, 16]),
        (lambda x: x.copy_(x.flip(0)), [4, 3, 2, 1, 0]),
        (lambda x: x.__setitem__(torch.tensor([0, 4]), x[torch.tensor([4, 0])]), [4, 1, 2, 3, 0]),
        (lambda x: x[:2].add_(x[3:]), [3, 5, 2, 3, 4]),
    ],
)
def test_a_tensor_may_be_written_from_itself(write, expected):
    x = torch.arange(5.0)
    write(x)
    assert x.tolist() == expected


@pytest.mark.parametrize("index", [float("nan"), float("inf"), -(2**63), 2**62])
def test_strange_positions(index):
    x = torch.ones(3)
    wrong = torch.tensor([index])
    for read in (
        lambda: x[wrong],
        lambda: x.gather(0, wrong),
        lambda: x.index_select(0, wrong),
        lambda: torch.take(x, wrong),
        lambda: nn.functional.embedding(wrong, x[:, None]),
        lambda: nn.functional.cross_entropy(x[None], wrong),
    ):
        with pytest.raises((IndexError, RuntimeError)):
            read()
