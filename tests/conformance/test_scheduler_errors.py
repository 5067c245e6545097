"""Schedules warn and refuse as torch's do."""

import warnings

import pytest

import rushlight
from tests.conformance.schedules import optimizer_of

torch = pytest.importorskip("torch")

BOTH = (rushlight, torch)


def slower(x):
    return 0.7**x


def a_schedule(library, **options):
    optimizer = optimizer_of(library)
    return optimizer, library.optim.lr_scheduler.StepLR(optimizer, **({"step_size": 3} | options))


def early(library):
    _, scheduler = a_schedule(library)
    scheduler.step()


def replaced(library):
    optimizer, scheduler = a_schedule(library)
    optimizer.step = lambda: None
    scheduler.step()


def with_an_epoch(library):
    optimizer, scheduler = a_schedule(library)
    optimizer.step()
    scheduler.step(4)


def plateau_with_an_epoch(library):
    library.optim.lr_scheduler.ReduceLROnPlateau(optimizer_of(library)).step(1.0, 3)


def rates_asked_for(library):
    a_schedule(library)[1].get_lr()


@pytest.mark.parametrize("attempt", [early, replaced, with_an_epoch, plateau_with_an_epoch, rates_asked_for])
def test_warnings_are_torchs(attempt):
    caught = []
    for library in BOTH:
        with warnings.catch_warnings(record=True) as record:
            warnings.simplefilter("always")
            attempt(library)
        caught.append([(each.category, str(each.message)[:60]) for each in record])
        if library is rushlight:
            assert [each.filename for each in record] == [__file__] * len(record)
    assert caught[0] == caught[1] and caught[0]


def without_warnings(library):
    optimizer, scheduler = a_schedule(library)
    optimizer.step()
    for _ in range(3):
        scheduler.step()
    library.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer_of(library), 3).step()


def test_the_right_order_is_silent():
    for library in BOTH:
        without_warnings(library)


def mixed(library, name):
    one, other = optimizer_of(library), optimizer_of(library)
    module = library.optim.lr_scheduler
    members = [module.ExponentialLR(one, 0.9), module.ExponentialLR(other, 0.9)]
    return module.SequentialLR(one, members, [1]) if name == "SequentialLR" else module.ChainedScheduler(members)


def with_a_plateau(library, name):
    optimizer = optimizer_of(library)
    module = library.optim.lr_scheduler
    members = [module.ReduceLROnPlateau(optimizer)]
    return module.SequentialLR(optimizer, members, []) if name == "SequentialLR" else module.ChainedScheduler(members)


def too_far(library):
    scheduler = library.optim.lr_scheduler.OneCycleLR(optimizer_of(library), 0.1, total_steps=2)
    for _ in range(4):
        scheduler.optimizer.step()
        scheduler.step()


def grown(library):
    optimizer = optimizer_of(library)
    scheduler = library.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.1, 0.1])
    optimizer.add_param_group({"params": [library.ones(1)]})
    for _ in range(3):
        scheduler.step(1.0)


def simple(name, *args, method="SGD", **options):
    return lambda library: getattr(library.optim.lr_scheduler, name)(optimizer_of(library, method), *args, **options)


REFUSED = {
    "no optimizer": lambda library: library.optim.lr_scheduler.StepLR(3, 1),
    "no optimizer to reduce": lambda library: library.optim.lr_scheduler.ReduceLROnPlateau(3),
    "no optimizer to cycle": lambda library: library.optim.lr_scheduler.CyclicLR(3, 0.1, 0.2),
    "no optimizer for one cycle": lambda library: library.optim.lr_scheduler.OneCycleLR(3, 0.1, 10),
    "no first rate": simple("StepLR", 3, last_epoch=4),
    "base class": simple("LRScheduler"),
    "too many lambdas": simple("LambdaLR", [slower]),
    "too many factors": simple("MultiplicativeLR", (slower,) * 3),
    "no function": simple("MultiplicativeLR", [slower, 3]),
    "factor": simple("ConstantLR", 1.5),
    "start": simple("LinearLR", 0.0),
    "end": simple("LinearLR", 0.1, -1),
    "T_0": simple("CosineAnnealingWarmRestarts", 0),
    "T_0 a part": simple("CosineAnnealingWarmRestarts", 1.5),
    "T_mult": simple("CosineAnnealingWarmRestarts", 1, 0),
    "eta_min": simple("CosineAnnealingWarmRestarts", 1, 1, "0"),
    "negative epoch": lambda library: simple("CosineAnnealingWarmRestarts", 3)(library).step(-1),
    "mode of a cycle": simple("CyclicLR", 0.1, 0.2, mode="square"),
    "rates of a cycle": simple("CyclicLR", [0.1], 0.2),
    "no momentum": simple("CyclicLR", 0.1, 0.2, method="Adagrad"),
    "no momentum for one cycle": simple("OneCycleLR", 0.1, 10, method="Adagrad"),
    "steps of one cycle": simple("OneCycleLR", 0.1),
    "no steps": simple("OneCycleLR", 0.1, 0),
    "epochs": simple("OneCycleLR", 0.1, epochs=1.5, steps_per_epoch=2),
    "steps per epoch": simple("OneCycleLR", 0.1, epochs=1, steps_per_epoch=-2),
    "part that rises": simple("OneCycleLR", 0.1, 10, pct_start=2.0),
    "way of annealing": simple("OneCycleLR", 0.1, 10, anneal_strategy="fast"),
    "too far": too_far,
    "factor of a plateau": simple("ReduceLROnPlateau", factor=1.0),
    "mode of a plateau": simple("ReduceLROnPlateau", "lowest"),
    "threshold of a plateau": simple("ReduceLROnPlateau", threshold_mode="far"),
    "lowest rates of a plateau": simple("ReduceLROnPlateau", min_lr=[0.1]),
    "a group more": grown,
    "nothing in sequence": simple("SequentialLR", [], []),
    "nothing to chain": lambda library: library.optim.lr_scheduler.ChainedScheduler([]),
    "no schedules": lambda library: library.optim.lr_scheduler.ChainedScheduler([3], optimizer_of(library)),
    "milestones": simple("SequentialLR", [], [3]),
    "two optimizers in sequence": lambda library: mixed(library, "SequentialLR"),
    "two optimizers in a chain": lambda library: mixed(library, "ChainedScheduler"),
    "a plateau in sequence": lambda library: with_a_plateau(library, "SequentialLR"),
    "a plateau in a chain": lambda library: with_a_plateau(library, "ChainedScheduler"),
    "swa rates": lambda library: library.optim.swa_utils.SWALR(optimizer_of(library), [0.1]),
    "swa way": lambda library: library.optim.swa_utils.SWALR(optimizer_of(library), 0.1, anneal_strategy="fast"),
    "swa epochs": lambda library: library.optim.swa_utils.SWALR(optimizer_of(library), 0.1, anneal_epochs=-1),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_are_torchs(case):
    errors = []
    for library in BOTH:
        with pytest.raises(Exception) as caught:
            REFUSED[case](library)
        errors.append(caught.value)
    ours, theirs = errors
    assert type(ours) is type(theirs)
    # the base class says more than torch's, which says nothing
    assert case == "base class" or str(ours)[: len(str(theirs))][:30] == str(theirs)[:30]
