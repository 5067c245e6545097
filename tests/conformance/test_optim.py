"""Optimizers take torch's steps and keep torch's state, whatever the options."""

import copy

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

STEPS = 30
TOLERANCE = {"float32": 2e-5, "complex64": 2e-5, "float64": 1e-12, "complex128": 1e-12}
# low precision rounds after each operation, in another order
TOLERANCE |= {"float16": 1e-2, "bfloat16": 5e-2}

OPTIONS = [
    ("SGD", {}),
    ("SGD", {"lr": 0.05, "momentum": 0.9}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "dampening": 0.5}),
    ("SGD", {"lr": 0.05, "momentum": 0.5, "maximize": True, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.05, "foreach": True}),
    ("SGD", {"lr": 0.05, "momentum": 0.9, "fused": True}),
    ("Adam", {}),
    ("Adam", {"lr": 0.02, "betas": (0.8, 0.95), "eps": 1e-4}),
    ("Adam", {"lr": 0.02, "betas": (0.3, 0.5)}),
    ("Adam", {"lr": 0.02, "weight_decay": 0.1, "amsgrad": True}),
    ("Adam", {"lr": 0.02, "maximize": True, "amsgrad": True}),
    ("Adam", {"lr": 0.02, "decoupled_weight_decay": True, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.02, "foreach": True}),
    ("Adam", {"lr": 0.02, "foreach": False}),
    ("Adam", {"lr": 0.02, "fused": True}),
    ("AdamW", {}),
    ("AdamW", {"lr": 0.02, "weight_decay": 0.3, "amsgrad": True, "maximize": True}),
    ("AdamW", {"lr": 0.02, "fused": True}),
    ("RMSprop", {}),
    ("RMSprop", {"lr": 0.02, "alpha": 0.9, "eps": 1e-4, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.02, "momentum": 0.9}),
    ("RMSprop", {"lr": 0.02, "centered": True}),
    ("RMSprop", {"lr": 0.02, "momentum": 0.5, "centered": True, "maximize": True}),
    ("RMSprop", {"lr": 0.02, "foreach": True}),
    ("Adagrad", {}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1}),
    ("Adagrad", {"lr": 0.1, "initial_accumulator_value": 0.5, "eps": 1e-3, "maximize": True}),
    ("Adagrad", {"lr": 0.1, "foreach": True}),
    ("Adagrad", {"lr": 0.1, "fused": True}),
    ("Adamax", {}),
    ("Adamax", {"lr": 0.02, "betas": (0.8, 0.95), "eps": 1e-4, "weight_decay": 0.1}),
    ("Adamax", {"lr": 0.02, "maximize": True}),
    ("Adamax", {"lr": 0.02, "foreach": True}),
    ("NAdam", {}),
    ("NAdam", {"lr": 0.02, "betas": (0.8, 0.95), "eps": 1e-4, "momentum_decay": 0.1}),
    ("NAdam", {"lr": 0.02, "weight_decay": 0.1, "maximize": True}),
    ("NAdam", {"lr": 0.02, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("NAdam", {"lr": 0.02, "foreach": True}),
    ("RAdam", {}),
    ("RAdam", {"lr": 0.02, "betas": (0.8, 0.95), "eps": 1e-4, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.02, "weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True}),
    ("RAdam", {"lr": 0.02, "foreach": True}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.7, "eps": 1e-4, "weight_decay": 0.1}),
    ("Adadelta", {"maximize": True}),
    ("Adadelta", {"foreach": True}),
    ("ASGD", {}),
    ("ASGD", {"lr": 0.05, "lambd": 0.1, "alpha": 0.5, "t0": 10}),
    ("ASGD", {"lr": 0.02, "weight_decay": 0.1, "maximize": True}),
    ("ASGD", {"lr": 0.02, "t0": 10, "foreach": True}),
    ("Rprop", {}),
    ("Rprop", {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (1e-3, 0.5)}),
    ("Rprop", {"maximize": True}),
    ("Rprop", {"foreach": True}),
    ("Adafactor", {}),
    ("Adafactor", {"lr": 0.1, "beta2_decay": -1.0, "d": 1.5, "weight_decay": 0.1}),
    ("Adafactor", {"lr": 0.1, "eps": (1e-3, 0.1), "maximize": True}),
    ("Adafactor", {"lr": 0.1, "foreach": True}),
]
METHODS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adamax", "NAdam", "RAdam", "Adadelta", "ASGD", "Rprop"]
METHODS += ["Adafactor"]
# options that give each method some state
REMEMBERING = {"SGD": {"lr": 0.05, "momentum": 0.9}, "RMSprop": {"momentum": 0.5, "centered": True}}
SHAPES = [(3, 4), (4,), (), (2, 3, 2)]
LARGE = [(3,), (300, 300), (5, 2)]


def grid(options):
    return pytest.mark.parametrize(("method", "options"), options, ids=[f"{m}-{o}" for m, o in options])


class Problem:
    """The same parameters and targets in both libraries, and a way to compute their gradients."""

    def __init__(self, library, shapes=SHAPES, dtype="float32"):
        random = np.random.RandomState(0)
        self.library = library
        kind = getattr(library, dtype)
        self.params, self.targets = [], []
        for shape in shapes:
            for kept in (self.params, self.targets):
                values = random.standard_normal(shape) + 1j * random.standard_normal(shape)
                values = values if dtype.startswith("complex") else values.real
                kept.append(library.from_numpy(np.array(values)).to(kind))
        for param in self.params:
            param.requires_grad_()

    def loss(self, skip=()):
        losses = [
            ((param - target).abs() ** 2).sum()
            for place, (param, target) in enumerate(zip(self.params, self.targets, strict=True))
            if place not in skip
        ]
        return sum(losses[1:], losses[0])

    def step(self, optimizer, skip=()):
        optimizer.zero_grad()
        self.loss(skip).backward()
        return optimizer.step()


def make(library, problem, method, options, params=None):
    return getattr(library.optim, method)(problem.params if params is None else params, **options)


def pair(method, options, **problem):
    """Problem and optimizer in both libraries."""
    problems = [Problem(library, **problem) for library in (rushlight, torch)]
    return [(each, make(each.library, each, method, options)) for each in problems]


def array(tensor):
    tensor = tensor.detach()
    return (tensor.float() if str(tensor.dtype) in ("torch.bfloat16", "torch.float16") else tensor).numpy()


def assert_same_value(ours, theirs, tolerance):
    if isinstance(theirs, torch.Tensor):
        assert isinstance(ours, rushlight.Tensor)
        assert str(ours.dtype) == str(theirs.dtype)
        assert tuple(ours.shape) == tuple(theirs.shape)
        np.testing.assert_allclose(array(ours), array(theirs), tolerance, tolerance)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for name, each in theirs.items():
            assert_same_value(ours[name], each, tolerance)
    elif isinstance(theirs, (list, tuple)):
        assert type(ours) is type(theirs) and len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same_value(one, other, tolerance)
    else:
        assert ours == theirs and type(ours) is type(theirs)


def assert_same(ours, theirs, tolerance=TOLERANCE["float32"]):
    """Weights and state of two (problem, optimizer) agree."""
    assert_same_value(ours[0].params, theirs[0].params, tolerance)
    assert_same_value(ours[1].state_dict(), theirs[1].state_dict(), tolerance)


def converted(value, library):
    """A state dict of one library for the other."""
    if isinstance(value, (rushlight.Tensor, torch.Tensor)):
        return library.tensor(value.tolist(), dtype=getattr(library, str(value.dtype).removeprefix("torch.")))
    if isinstance(value, dict):
        return {name: converted(each, library) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(converted(each, library) for each in value)
    return value


@grid(OPTIONS)
def test_thirty_steps_are_torchs(method, options):
    ours, theirs = pair(method, options)
    assert repr(ours[1]) == repr(theirs[1])
    assert ours[1].defaults == theirs[1].defaults
    assert list(ours[1].param_groups[0]) == list(theirs[1].param_groups[0])
    assert_same(ours, theirs)
    for _ in range(STEPS):
        ours[0].step(ours[1])
        theirs[0].step(theirs[1])
    assert_same(ours, theirs)


@pytest.mark.parametrize("dtype", ["float64", "complex64", "complex128", "float16", "bfloat16"])
@grid([each for each in OPTIONS if "foreach" not in each[1]])
def test_every_dtype(method, options, dtype):
    if dtype in ("float16", "bfloat16"):
        options = {"lr": 0.02, **options}
        if method not in ("SGD", "ASGD", "Rprop"):
            options["eps"] = (0.1, 0.1) if method == "Adafactor" else 0.1
    ours, theirs = pair(method, options, dtype=dtype)
    if (options.get("fused") or method == "Adafactor") and dtype.startswith("complex"):
        words = "`fused=True` requires all the params to be floating point" if options.get("fused") else "complex"
        for problem, optimizer in (ours, theirs):
            with pytest.raises(RuntimeError, match=words):
                problem.step(optimizer)
        return
    for _ in range(3):
        ours[0].step(ours[1])
        theirs[0].step(theirs[1])
    assert_same(ours, theirs, TOLERANCE[dtype])


@pytest.mark.parametrize("method", METHODS)
def test_large_parameters_beside_small_ones(method):
    ours, theirs = pair(method, REMEMBERING.get(method, {}), shapes=LARGE)
    for _ in range(5):
        ours[0].step(ours[1])
        theirs[0].step(theirs[1])
    assert_same(ours, theirs)


@pytest.mark.parametrize("method", METHODS)
def test_parameters_that_sometimes_have_no_gradient(method):
    ours, theirs = pair(method, REMEMBERING.get(method, {}))
    for number in range(STEPS):
        skip = [(), (0,), (0, 1), (1, 2, 3), (3,)][number % 5] if number > 3 else ()
        for problem, optimizer in (ours, theirs):
            problem.step(optimizer, skip)
        assert_same(ours, theirs)


@pytest.mark.parametrize("method", METHODS)
def test_parameters_that_get_their_first_gradient_late(method):
    ours, theirs = pair(method, REMEMBERING.get(method, {}))
    for number in range(10):
        for problem, optimizer in (ours, theirs):
            problem.step(optimizer, (1, 3) if number < 4 else ())
        assert_same(ours, theirs)


@pytest.mark.parametrize("method", METHODS)
def test_groups_with_their_own_options_and_one_added_later(method):
    made = []
    for library in (rushlight, torch):
        problem = Problem(library)
        first, second, third = problem.params[:3]
        groups = [{"params": [first, second]}, {"params": third, "lr": 0.1, "weight_decay": 0.2}]
        made.append((problem, make(library, problem, method, REMEMBERING.get(method, {}), groups)))
    ours, theirs = made
    for number in range(STEPS):
        for problem, optimizer in made:
            if number == 5:
                optimizer.add_param_group({"params": problem.params[3:], "lr": 0.03, "maximize": True})
            if number == 10:
                optimizer.param_groups[0]["lr"] = 0.2
            problem.step(optimizer)
    assert repr(ours[1]) == repr(theirs[1])
    assert_same(ours, theirs)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(), (1,)])
def test_a_learning_rate_in_a_tensor(method, shape):
    made = []
    for library in (rushlight, torch):
        problem = Problem(library)
        options = {**REMEMBERING.get(method, {}), "lr": library.full(shape, 0.03)}
        made.append((problem, make(library, problem, method, options)))
    ours, theirs = made
    assert repr(ours[1]) == repr(theirs[1])
    for number in range(STEPS):
        for problem, optimizer in made:
            if number == 10:
                optimizer.param_groups[0]["lr"] *= 0.5
            problem.step(optimizer)
    assert_same(ours, theirs)


@pytest.mark.parametrize("method", ["Adam", "AdamW"])
def test_betas_in_tensors(method):
    made = []
    for library in (rushlight, torch):
        problem = Problem(library)
        betas = library.tensor([[0.8]]), library.tensor(0.95)
        made.append((problem, make(library, problem, method, {"betas": betas, "lr": 0.02})))
    ours, theirs = made
    assert repr(ours[1]) == repr(theirs[1])
    for _ in range(10):
        ours[0].step(ours[1])
        theirs[0].step(theirs[1])
    assert_same(ours, theirs)


def test_a_momentum_that_is_set_later():
    ours, theirs = pair("SGD", {"lr": 0.05})
    for number in range(10):
        for problem, optimizer in (ours, theirs):
            if number in (3, 6, 8):
                optimizer.param_groups[0]["momentum"] = 0.9 if number != 6 else 0
            problem.step(optimizer)
        assert_same(ours, theirs)


@grid(OPTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_checkpoint_of_torch_continues_here_and_back(method, options, dtype):
    if method == "ASGD" and dtype == "float64":
        # after loading, this form of torch's step keeps the rate in double, the others in float32
        options = {**options, "foreach": False}
    (problem, optimizer), (their_problem, their_optimizer) = pair(method, options, dtype=dtype)
    for _ in range(5):
        their_problem.step(their_optimizer)
    for one, other in zip(problem.params, their_problem.params, strict=True):
        one.data.copy_(rushlight.from_numpy(other.detach().numpy()))
    optimizer.load_state_dict(converted(their_optimizer.state_dict(), rushlight))
    # loading converts to the dtype of the parameter what is no count of steps
    their_optimizer.load_state_dict(copy.deepcopy(their_optimizer.state_dict()))
    assert_same((problem, optimizer), (their_problem, their_optimizer), TOLERANCE[dtype])
    for _ in range(5):
        problem.step(optimizer)
        their_problem.step(their_optimizer)
    assert_same((problem, optimizer), (their_problem, their_optimizer), TOLERANCE[dtype])
    fresh = make(torch, their_problem, method, {**options, "lr": 1.0})
    fresh.load_state_dict(converted(optimizer.state_dict(), torch))
    for _ in range(5):
        problem.step(optimizer)
        their_problem.step(fresh)
    assert_same((problem, optimizer), (their_problem, fresh), TOLERANCE[dtype])


@pytest.mark.parametrize("method", METHODS)
def test_a_checkpoint_of_an_older_version(method):
    """Options that did not exist then are filled in, counts of steps that were numbers become tensors."""
    ours, theirs = pair(method, REMEMBERING.get(method, {}))
    for problem, optimizer in (ours, theirs):
        for _ in range(3):
            problem.step(optimizer)
        old = copy.deepcopy(optimizer.state_dict())
        for state in old["state"].values():
            if "step" in state:
                state["step"] = int(state["step"])
        younger = {"foreach", "capturable", "differentiable", "fused", "decoupled_weight_decay"}
        for name in younger if method == "Adafactor" else younger | {"maximize"}:
            old["param_groups"][0].pop(name, None)
        optimizer.load_state_dict(old)
        problem.step(optimizer)
    assert sorted(ours[1].param_groups[0]) == sorted(theirs[1].param_groups[0])
    assert {k: v for k, v in ours[1].param_groups[0].items() if k != "params"} == {
        k: v for k, v in theirs[1].param_groups[0].items() if k != "params"
    }
    assert_same_value(
        {k: dict(v) for k, v in ours[1].state_dict()["state"].items()}, theirs[1].state_dict()["state"], 1e-5
    )


def test_steps_are_counted_in_double_where_that_is_the_default():
    for library in (rushlight, torch):
        library.set_default_dtype(library.float64)
    try:
        ours, theirs = pair("Adam", {}, dtype="float64")
        for problem, optimizer in (ours, theirs):
            problem.step(optimizer)
        assert_same(ours, theirs, 1e-12)
    finally:
        for library in (rushlight, torch):
            library.set_default_dtype(library.float32)
