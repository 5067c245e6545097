"""Schedules refuse in torch's words what they cannot do."""

import pytest

import rushlight as torch
from rushlight.optim import lr_scheduler, swa_utils


def descent(method="SGD"):
    return getattr(torch.optim, method)([torch.ones(1)], lr=0.1)


def half(epoch):
    return 0.5


@pytest.mark.parametrize(
    ("name", "args", "options", "words"),
    [
        ("LambdaLR", [[half, half]], {}, "Expected 1 lr_lambdas, but got 2"),
        ("MultiplicativeLR", [[half, half]], {}, "Expected 1 lr_lambdas, but got 2"),
        ("ConstantLR", [1.5], {}, "Constant multiplicative factor expected to be between 0 and 1."),
        ("LinearLR", [0.0], {}, "Starting multiplicative factor expected to be greater than 0"),
        ("LinearLR", [0.1, -1], {}, "Ending multiplicative factor expected to be between 0 and 1."),
        ("CosineAnnealingWarmRestarts", [0], {}, "Expected positive integer T_0, but got 0"),
        ("CosineAnnealingWarmRestarts", [1, 0], {}, "Expected integer T_mult >= 1, but got 0"),
        ("CosineAnnealingWarmRestarts", [1, 1, "0"], {}, "Expected float or int eta_min, but got 0"),
        ("CyclicLR", [0.1, 0.2], {"mode": "square"}, "mode is invalid and scale_fn is None"),
        ("CyclicLR", [[0.1, 0.1], 0.2], {}, "base_lr must have the same length as optimizer.param_groups"),
        ("OneCycleLR", [0.1], {}, "You must define either total_steps OR"),
        ("OneCycleLR", [0.1, 0], {}, "Expected positive integer total_steps, but got 0"),
        ("OneCycleLR", [0.1, 10], {"pct_start": 2.0}, "Expected float between 0 and 1 pct_start, but got 2.0"),
        ("OneCycleLR", [0.1, 10], {"anneal_strategy": "fast"}, "anneal_strategy must be one of 'cos' or 'linear'"),
        ("ReduceLROnPlateau", [], {"factor": 1.0}, "Factor should be < 1.0."),
        ("ReduceLROnPlateau", ["lowest"], {}, "mode lowest is unknown!"),
        ("ReduceLROnPlateau", [], {"threshold_mode": "far"}, "threshold mode far is unknown!"),
        ("ReduceLROnPlateau", [], {"min_lr": [0.1, 0.1]}, "expected 1 min_lrs, got 2"),
        ("SequentialLR", [[], []], {}, "SequentialLR expects at least one scheduler, but got no scheduler."),
        ("SWALR", [0.1], {"anneal_strategy": "fast"}, "anneal_strategy must be one of 'cos' or 'linear'"),
        ("SWALR", [0.1], {"anneal_epochs": -1}, "anneal_epochs must be equal or greater than 0, got -1"),
    ],
)
def test_options_are_refused(name, args, options, words):
    kind = swa_utils.SWALR if name == "SWALR" else getattr(lr_scheduler, name)
    with pytest.raises(ValueError) as caught:
        kind(descent(), *args, **options)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(("name", "args"), [("CyclicLR", [0.1, 0.2]), ("OneCycleLR", [0.1, 10])])
def test_an_optimizer_without_momentum_cycles_its_rate_alone(name, args):
    kind = getattr(lr_scheduler, name)
    with pytest.raises(ValueError, match="optimizer must support momentum or beta1"):
        kind(descent("Adagrad"), *args)
    kind(descent("Adagrad"), *args, cycle_momentum=False)


@pytest.mark.parametrize(
    ("name", "args"),
    [("StepLR", [1]), ("ReduceLROnPlateau", []), ("CyclicLR", [0.1, 0.2]), ("OneCycleLR", [0.1, 10])],
)
def test_what_is_no_optimizer_is_refused(name, args):
    with pytest.raises(TypeError, match="Linear is not an Optimizer"):
        getattr(lr_scheduler, name)(torch.nn.Linear(1, 1), *args)


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="lr_lambda should be a function, but got int"):
        lr_scheduler.MultiplicativeLR(descent(), 3)


def test_one_cycle_ends():
    scheduler = lr_scheduler.OneCycleLR(descent(), 0.1, total_steps=1)
    scheduler.optimizer.step()
    scheduler.step()
    with pytest.raises(ValueError, match=r"Tried to step 2 times\. The specified number of total steps is 1"):
        scheduler.step()


def test_members_must_fit_together():
    optimizer, other = descent(), descent()
    one = lr_scheduler.ExponentialLR(optimizer, 0.9)
    with pytest.raises(ValueError, match="ChainedScheduler expects at least one scheduler to be chained"):
        lr_scheduler.ChainedScheduler([])
    with pytest.raises(TypeError, match="ChainedScheduler at index 0 should have `optimizer` as its attribute"):
        lr_scheduler.ChainedScheduler([3], optimizer)
    with pytest.raises(ValueError, match="SequentialLR expects all schedulers to belong to the same optimizer"):
        lr_scheduler.SequentialLR(other, [one], [])
    with pytest.raises(ValueError, match="does not support `ReduceLROnPlateau` scheduler"):
        lr_scheduler.ChainedScheduler([lr_scheduler.ReduceLROnPlateau(optimizer)])
    with pytest.raises(ValueError, match="Sequential Schedulers expects number of schedulers provided to be one more"):
        lr_scheduler.SequentialLR(optimizer, [one], [3])


def test_a_group_that_was_added_later_lacks_the_rates_of_one_cycle():
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([a], lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.5, total_steps=6)
    optimizer.add_param_group({"params": [b], "initial_lr": 0.1})
    a.grad = b.grad = torch.ones(2)
    optimizer.step()
    with pytest.raises(KeyError, match="max_lr"):
        scheduler.step()
