"""Schedules give torch's learning rates to 1e-12, with torch's warnings, errors and states."""

import copy
import pickle
import warnings

import pytest

import rushlight
from tests.conformance.schedules import build, optimizer_of

torch = pytest.importorskip("torch")

STEPS = 200
BOTH = (rushlight, torch)


class Growing:
    """A function that is an object: its attributes belong to the state."""

    def __init__(self, rate):
        self.rate = rate

    def __call__(self, epoch):
        return 1 / (1 + self.rate * epoch)


def slower(x):
    return 0.7**x


# name and options; the momentum and the betas are compared too
GRID = [
    ("LambdaLR", {"lr_lambda": lambda epoch: 0.95**epoch}),
    ("LambdaLR", {"lr_lambda": [lambda epoch: epoch // 30, Growing(0.1)]}),
    ("MultiplicativeLR", {"lr_lambda": lambda epoch: 0.97}),
    ("MultiplicativeLR", {"lr_lambda": [lambda epoch: 1 - 0.5 / (epoch + 1), Growing(0.01)]}),
    ("StepLR", {"step_size": 30}),
    ("StepLR", {"step_size": 1, "gamma": 0.97}),
    ("StepLR", {"step_size": 7, "gamma": 1.1}),
    ("MultiStepLR", {"milestones": [30, 80]}),
    ("MultiStepLR", {"milestones": (5, 5, 3, 120), "gamma": 0.5}),
    ("MultiStepLR", {"milestones": [], "gamma": 0.5}),
    ("MultiStepLR", {"milestones": [0, 4], "gamma": 0.5}),
    ("ConstantLR", {}),
    ("ConstantLR", {"factor": 0.5, "total_iters": 60}),
    ("ConstantLR", {"factor": 1.0, "total_iters": 0}),
    ("LinearLR", {}),
    ("LinearLR", {"start_factor": 0.01, "end_factor": 0.7, "total_iters": 120}),
    ("LinearLR", {"start_factor": 1.0, "end_factor": 0.0, "total_iters": 150}),
    ("LinearLR", {"start_factor": 1e-3, "total_iters": 1}),
    ("ExponentialLR", {"gamma": 0.99}),
    ("ExponentialLR", {"gamma": 0.5}),
    ("PolynomialLR", {}),
    ("PolynomialLR", {"total_iters": 150, "power": 0.9}),
    ("PolynomialLR", {"total_iters": 300, "power": 2.0}),
    ("CosineAnnealingLR", {"T_max": 200}),
    ("CosineAnnealingLR", {"T_max": 30, "eta_min": 0.01}),
    ("CosineAnnealingLR", {"T_max": 7}),
    ("CosineAnnealingLR", {"T_max": 1, "eta_min": 0.2}),
    ("CosineAnnealingWarmRestarts", {"T_0": 10}),
    ("CosineAnnealingWarmRestarts", {"T_0": 10, "T_mult": 2, "eta_min": 0.001}),
    ("CosineAnnealingWarmRestarts", {"T_0": 1, "T_mult": 3}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.3}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.3, "step_size_up": 20, "step_size_down": 5}),
    ("CyclicLR", {"base_lr": [0.01, 0.02], "max_lr": [0.3, 0.1], "step_size_up": 10, "mode": "triangular2"}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.3, "step_size_up": 9, "mode": "exp_range", "gamma": 0.99}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.3, "step_size_up": 9, "cycle_momentum": False}),
    (
        "CyclicLR",
        {"base_lr": 0.01, "max_lr": 0.3, "step_size_up": 9, "base_momentum": [0.5, 0.6], "max_momentum": 0.99},
    ),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.3, "step_size_up": 9, "scale_fn": slower, "mode": "mine"}),
    (
        "CyclicLR",
        {"base_lr": 0.1, "max_lr": 0.3, "step_size_up": 9, "scale_fn": Growing(1), "scale_mode": "iterations"},
    ),
    ("OneCycleLR", {"max_lr": 0.1, "total_steps": 200}),
    ("OneCycleLR", {"max_lr": [0.1, 0.2], "epochs": 20, "steps_per_epoch": 10, "three_phase": True}),
    ("OneCycleLR", {"max_lr": 0.1, "total_steps": 333, "anneal_strategy": "linear", "pct_start": 0.1}),
    ("OneCycleLR", {"max_lr": 0.1, "total_steps": 200, "cycle_momentum": False, "div_factor": 3.0}),
    ("OneCycleLR", {"max_lr": 0.1, "total_steps": 200, "base_momentum": 0.3, "max_momentum": [0.5, 0.9]}),
    ("OneCycleLR", {"max_lr": 0.1, "total_steps": 200, "three_phase": True, "final_div_factor": 10.0}),
    ("SWALR", {"swa_lr": 0.05}),
    ("SWALR", {"swa_lr": [0.05, 0.01], "anneal_epochs": 50, "anneal_strategy": "linear"}),
    ("SWALR", {"swa_lr": 0.05, "anneal_epochs": 0}),
]
# those whose rates at the start come from the groups
FROM_GROUPS = [(name, options) for name, options in GRID if name not in ("CyclicLR", "OneCycleLR")]
NAMED = [f"{name}-{number}" for number, (name, _) in enumerate(GRID)]
whole_grid = pytest.mark.parametrize(("name", "options"), GRID, ids=NAMED)


def both(name, options, method="SGD"):
    """Optimizer and schedule in both libraries."""
    made = []
    for library in BOTH:
        optimizer = optimizer_of(library, method)
        made.append((optimizer, build(library, name, optimizer, options)))
    return made


def plain(value):
    """Tensors as numbers."""
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value.item() if isinstance(value, (rushlight.Tensor, torch.Tensor)) else value


def seen(optimizer):
    """All that schedules write into the groups."""
    skipped = {"params", "foreach", "fused", "differentiable"}
    return [plain({name: group[name] for name in group if name not in skipped}) for group in optimizer.param_groups]


def assert_same(ours, theirs, where=""):
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), where
        for name in theirs:
            assert_same(ours[name], theirs[name], f"{where}.{name}")
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs), where
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other, where)
    elif isinstance(theirs, (int, float)):
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12), where
    else:
        assert ours == theirs, where


def follow(pairs, steps=STEPS, act=lambda optimizer, scheduler, step: scheduler.step()):
    """Steps in both libraries, compared one by one."""
    for number in range(steps):
        for optimizer, scheduler in pairs:
            optimizer.step()
            act(optimizer, scheduler, number)
        (ours, our_scheduler), (theirs, their_scheduler) = pairs
        assert_same(seen(ours), seen(theirs), f"step {number}")
        assert_same(plain(our_scheduler.get_last_lr()), plain(their_scheduler.get_last_lr()))
    assert_same(plain(our_scheduler.state_dict()), plain(their_scheduler.state_dict()))


@whole_grid
@pytest.mark.parametrize("method", ["SGD", "Adam"])
def test_the_rates_of_200_steps_are_torchs(name, options, method):
    pairs = both(name, options, method)
    assert_same(seen(pairs[0][0]), seen(pairs[1][0]), "at the start")
    assert_same(plain(pairs[0][1].state_dict()), plain(pairs[1][1].state_dict()))
    follow(pairs)


@whole_grid
def test_jumps_take_the_closed_form(name, options):
    def jump(optimizer, scheduler, step):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            scheduler.step(step * 13 % 150)

    follow(both(name, options), 60, jump)


@pytest.mark.parametrize("T_mult", [1, 2])
def test_restarts_take_parts_of_an_epoch(T_mult):
    pairs = both("CosineAnnealingWarmRestarts", {"T_0": 5, "T_mult": T_mult})
    follow(pairs, 120, lambda optimizer, scheduler, step: scheduler.step(step / 4))


@whole_grid
def test_a_run_continues_at_its_last_epoch(name, options):
    pairs = []
    for library in BOTH:
        optimizer = optimizer_of(library)
        scheduler = build(library, name, optimizer, options)
        for _ in range(9):
            optimizer.step()
            scheduler.step()
        fresh = optimizer_of(library)
        fresh.load_state_dict(optimizer.state_dict())
        pairs.append((fresh, build(library, name, fresh, options, last_epoch=8)))
    assert_same(seen(pairs[0][0]), seen(pairs[1][0]))
    follow(pairs, 30)


@whole_grid
@pytest.mark.parametrize("source", [0, 1], ids=["from torch", "to torch"])
def test_states_are_exchangeable(name, options, source):
    pairs = both(name, options)
    follow(pairs, 8)
    taken, given = pairs[source], pairs[1 - source]
    fresh = optimizer_of(BOTH[source])
    scheduler = build(BOTH[source], name, fresh, options)
    for group, other in zip(fresh.param_groups, given[0].param_groups, strict=True):
        group.update({key: value for key, value in other.items() if key != "params"})
    state = copy.deepcopy(given[1].state_dict())
    kept = copy.deepcopy(state)
    scheduler.load_state_dict(state)
    if source == 0:
        assert state == kept  # torch takes `_scale_fn_custom` out
    pairs[source] = (fresh, scheduler)
    assert taken is not pairs[source]
    follow(pairs, 30)


@pytest.mark.parametrize(
    ("name", "options"), FROM_GROUPS, ids=[each for each in NAMED if each[:3] not in ("Cyc", "One")]
)
def test_a_tensor_as_rate_keeps_its_identity(name, options):
    pairs = []
    for library in BOTH:
        rates = [library.tensor(0.1, dtype=library.float64), library.tensor(0.5, dtype=library.float64)]
        optimizer = optimizer_of(library, rates=rates)
        pairs.append((optimizer, build(library, name, optimizer, options)))
        assert optimizer.param_groups[0]["lr"] is rates[0]
    follow(pairs, 40)
    for (optimizer, scheduler), library in zip(pairs, BOTH, strict=True):
        assert isinstance(optimizer.param_groups[0]["lr"], library.Tensor)
        last = scheduler.get_last_lr()[0]
        assert isinstance(last, library.Tensor) and last is not optimizer.param_groups[0]["lr"]


def parts(library, optimizer):
    module = library.optim.lr_scheduler
    return [
        module.ConstantLR(optimizer, factor=0.1, total_iters=20),
        module.ExponentialLR(optimizer, gamma=0.9),
        module.CosineAnnealingLR(optimizer, T_max=30),
    ]


def sequence(library, optimizer, milestones=(20, 50)):
    return library.optim.lr_scheduler.SequentialLR(optimizer, parts(library, optimizer), milestones=list(milestones))


def chain(library, optimizer):
    return library.optim.lr_scheduler.ChainedScheduler(parts(library, optimizer)[:2])


def nested(library, optimizer):
    module = library.optim.lr_scheduler
    together = module.ChainedScheduler(parts(library, optimizer)[:2], optimizer)
    restarts = module.CosineAnnealingWarmRestarts(optimizer, 7)
    return module.SequentialLR(optimizer, [restarts, module.LinearLR(optimizer), together][:2], [31])


def started_at_once(library, optimizer):
    return sequence(library, optimizer, (0, 3))


@pytest.mark.parametrize("make", [sequence, chain, nested, started_at_once])
@pytest.mark.parametrize("method", ["SGD", "Adam"])
def test_combined_schedules_are_torchs(make, method):
    pairs = []
    for library in BOTH:
        optimizer = optimizer_of(library, method)
        pairs.append((optimizer, make(library, optimizer)))
    assert_same(seen(pairs[0][0]), seen(pairs[1][0]))
    follow(pairs, 120)


@pytest.mark.parametrize("make", [sequence, chain])
def test_states_of_combined_schedules_are_exchangeable(make):
    pairs = []
    for library in BOTH:
        optimizer = optimizer_of(library)
        pairs.append((optimizer, make(library, optimizer)))
    follow(pairs, 19)
    optimizer = optimizer_of(rushlight)
    scheduler = make(rushlight, optimizer)
    scheduler.load_state_dict(copy.deepcopy(pairs[1][1].state_dict()))
    for group, other in zip(optimizer.param_groups, pairs[1][0].param_groups, strict=True):
        group["lr"] = other["lr"]
    follow([(optimizer, scheduler), pairs[1]], 60)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"patience": 2, "cooldown": 3},
        {"mode": "max", "patience": 1, "factor": 0.5},
        {"threshold": 0.1, "threshold_mode": "abs", "patience": 0},
        {"mode": "max", "threshold": 0.1, "threshold_mode": "abs", "patience": 3, "min_lr": [0.01, 0.2]},
        {"patience": 0, "min_lr": 1e-3, "eps": 1e-2},
    ],
)
@pytest.mark.filterwarnings("ignore:.* moves nothing")
def test_plateaus_are_torchs(options):
    measures = [abs((7 * step) % 11 - 5) / (1 + 0.01 * step) for step in range(STEPS)]

    def act(optimizer, scheduler, step):
        scheduler.step(measures[step])

    pairs = both("ReduceLROnPlateau", options)
    follow(pairs, 100, act)
    fresh = optimizer_of(rushlight)
    for group, other in zip(fresh.param_groups, pairs[1][0].param_groups, strict=True):
        group["lr"] = other["lr"]
    scheduler = rushlight.optim.lr_scheduler.ReduceLROnPlateau(fresh)
    scheduler.load_state_dict(pairs[1][1].state_dict())
    follow([(fresh, scheduler), pairs[1]], 100, act)


def test_copies_and_pickles_go_on_alike():
    for library in BOTH:
        optimizer = optimizer_of(library)
        scheduler = library.optim.lr_scheduler.StepLR(optimizer, 3)
        optimizer.step()
        scheduler.step()
        twin = copy.deepcopy(scheduler)
        assert twin.optimizer is not optimizer
        restored = pickle.loads(pickle.dumps(scheduler))
        for _ in range(5):
            for each in (scheduler, twin, restored):
                each.optimizer.step()
                each.step()
        assert scheduler.get_last_lr() == twin.get_last_lr() == restored.get_last_lr()


def test_the_public_names_are_torchs():
    assert rushlight.optim.lr_scheduler.__all__ == torch.optim.lr_scheduler.__all__
    assert rushlight.optim.swa_utils.__all__ == torch.optim.swa_utils.__all__
    assert rushlight.optim.lr_scheduler._LRScheduler.__name__ == "_LRScheduler"
