"""Schedules: torch's numbers, the order of calls, states, and schedules that a program writes itself."""

import gc
import weakref

import pytest

import rushlight as torch
from rushlight.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiplicativeLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
    _LRScheduler,
)
from rushlight.optim.swa_utils import SWALR

SHOWN = (0, 1, 3, 4, 9, 19)
# PyTorch 2.13's rates after so many steps from 0.1, and the momentum after the last
RATES = [
    (LambdaLR, {"lr_lambda": lambda epoch: 1 / (1 + epoch)}, [0.1, 0.05, 0.025, 0.02, 0.01, 0.005], 0.9),
    (
        MultiplicativeLR,
        {"lr_lambda": lambda epoch: 1 - 0.5 / (epoch + 1)},
        [0.1, 0.075, 0.0546875, 0.04921875, 0.035239410400391, 0.025074137523916],
        0.9,
    ),
    (StepLR, {"step_size": 4, "gamma": 0.5}, [0.1, 0.1, 0.1, 0.05, 0.025, 0.00625], 0.9),
    (MultiStepLR, {"milestones": [3, 3, 15], "gamma": 0.5}, [0.1, 0.1, 0.025, 0.025, 0.025, 0.0125], 0.9),
    (ConstantLR, {"factor": 0.25, "total_iters": 6}, [0.025, 0.025, 0.025, 0.025, 0.1, 0.1], 0.9),
    (LinearLR, {"start_factor": 0.1, "total_iters": 15}, [0.01, 0.016, 0.028, 0.034, 0.064, 0.1], 0.9),
    (ExponentialLR, {"gamma": 0.9}, [0.1, 0.09, 0.0729, 0.06561, 0.0387420489, 0.01350851717673], 0.9),
    (
        PolynomialLR,
        {"total_iters": 15, "power": 2.0},
        [0.1, 0.087111111111111, 0.064, 0.053777777777778, 0.016, 0.0],
        0.9,
    ),
    (
        CosineAnnealingLR,
        {"T_max": 8, "eta_min": 0.01},
        [0.1, 0.096574578963008, 0.072220754456429, 0.055, 0.013425421036992, 0.072220754456429],
        0.9,
    ),
    (
        CosineAnnealingWarmRestarts,
        {"T_0": 3, "T_mult": 2},
        [0.1, 0.075, 0.1, 0.093301270189222, 0.1, 0.0066987298107781],
        0.9,
    ),
    (
        CyclicLR,
        {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 3, "step_size_down": 5, "mode": "triangular2"},
        [0.01, 0.073333333333333, 0.2, 0.162, 0.041666666666667, 0.0575],
        0.875,
    ),
    (
        CyclicLR,
        {"base_lr": 0.01, "max_lr": 0.2, "step_size_up": 4, "mode": "exp_range", "gamma": 0.9},
        [0.01, 0.05275, 0.1138825, 0.134659, 0.0284024732275, 0.02924963697684],
        0.889868612117,
    ),
    (
        OneCycleLR,
        {"max_lr": 0.2, "total_steps": 20},
        [0.008, 0.026334368540005, 0.13366563145999, 0.18166563145999, 0.16234913078995, 8e-07],
        0.95,
    ),
    (
        OneCycleLR,
        {"max_lr": 0.2, "total_steps": 20, "anneal_strategy": "linear", "three_phase": True},
        [0.008, 0.0464, 0.1232, 0.1616, 0.0464, 8e-07],
        0.95,
    ),
    (
        SWALR,
        {"swa_lr": 0.02, "anneal_epochs": 5},
        [0.1, 0.092360679774998, 0.047639320225002, 0.027639320225002, 0.02, 0.02],
        0.9,
    ),
]


def descent(lr=0.1, **options):
    return torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=lr, **({"momentum": 0.9} | options))


def rates(scheduler, steps):
    """The rate now and after each of some steps."""
    seen = list(scheduler.get_last_lr())
    for _ in range(steps):
        scheduler.optimizer.step()
        scheduler.step()
        seen += scheduler.get_last_lr()
    return seen


@pytest.mark.parametrize(("kind", "options", "expected", "momentum"), RATES)
def test_the_rates_are_torchs(kind, options, expected, momentum):
    optimizer = descent()
    seen = rates(kind(optimizer, **options), 19)
    assert [seen[step] for step in SHOWN] == pytest.approx(expected, rel=1e-12, abs=1e-13)
    assert optimizer.param_groups[0]["lr"] == seen[-1]
    assert optimizer.param_groups[0]["momentum"] == pytest.approx(momentum, rel=1e-11)


@pytest.mark.parametrize(("kind", "options", "expected", "momentum"), RATES)
def test_a_loaded_state_goes_on(kind, options, expected, momentum):
    first = kind(descent(), **options)
    start = rates(first, 9)
    optimizer = descent()
    second = kind(optimizer, **options)
    optimizer.load_state_dict(first.optimizer.state_dict())
    state = first.state_dict()
    second.load_state_dict(state)
    assert state == first.state_dict()
    seen = start + rates(second, 10)[1:]
    assert [seen[step] for step in SHOWN] == pytest.approx(expected, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(("kind", "options", "expected", "momentum"), RATES[2:9])
def test_an_epoch_takes_the_closed_form(kind, options, expected, momentum):
    optimizer = descent()
    scheduler = kind(optimizer, **options)
    optimizer.step()
    for step, rate in zip(SHOWN, expected, strict=True):
        with pytest.warns(UserWarning, match="The epoch parameter in `scheduler.step\\(\\)` was not necessary"):
            scheduler.step(step)
        assert scheduler.get_last_lr() == pytest.approx([rate], rel=1e-12, abs=1e-13)


def test_restarts_take_parts_of_an_epoch():
    scheduler = CosineAnnealingWarmRestarts(descent(), T_0=2, T_mult=2)
    for epoch, (place, length) in {1.5: (1.5, 2), 2.5: (0.5, 4), 7: (1, 8), 0: (0, 2)}.items():
        scheduler.step(epoch)
        assert (scheduler.T_cur, scheduler.T_i) == (place, length)
    with pytest.raises(ValueError, match="Expected non-negative epoch, but got -1"):
        scheduler.step(-1)


def test_the_first_beta_is_adams_momentum():
    optimizer = torch.optim.Adam([torch.ones(1)], lr=0.1)
    scheduler = OneCycleLR(optimizer, max_lr=0.1, total_steps=10)
    assert optimizer.param_groups[0]["betas"] == pytest.approx((0.95, 0.999))
    rates(scheduler, 2)
    assert optimizer.param_groups[0]["betas"] == pytest.approx((0.85, 0.999))


def test_stepping_the_schedule_first_warns_once():
    scheduler = StepLR(descent(), 3)
    with pytest.warns(UserWarning, match="Detected call of `lr_scheduler.step\\(\\)` before `optimizer.step\\(\\)`"):
        scheduler.step()
    scheduler.step()


def test_a_step_that_was_replaced_warns():
    optimizer = descent()
    scheduler = StepLR(optimizer, 3)
    optimizer.step = lambda: None
    with pytest.warns(UserWarning, match="Seems like `optimizer.step\\(\\)` has been overridden"):
        scheduler.step()


def test_a_step_replaced_before_is_kept():
    optimizer = descent()
    called = []
    optimizer.step = lambda: called.append(1)
    assert rates(StepLR(optimizer, 1, gamma=0.5), 2) == [0.1, 0.05, 0.025]
    assert called == [1, 1]


def test_two_schedules_watch_an_optimizer_once():
    optimizer = descent()
    StepLR(optimizer, 3)
    watched = optimizer.step
    StepLR(optimizer, 3)
    assert optimizer.step is watched


def test_a_watched_optimizer_is_freed_at_once():
    gc.disable()
    try:
        optimizer = descent()
        scheduler = StepLR(optimizer, 3)
        gone = weakref.ref(optimizer)
        del optimizer, scheduler
        assert gone() is None
    finally:
        gc.enable()


def test_get_lr_by_hand_warns():
    with pytest.warns(UserWarning, match="please use `get_last_lr\\(\\)`"):
        ExponentialLR(descent(), 0.9).get_lr()


def test_a_run_resumes_at_its_last_epoch():
    with pytest.raises(KeyError, match="param 'initial_lr' is not specified in param_groups\\[0\\]"):
        StepLR(descent(), 3, last_epoch=3)
    whole = rates(CosineAnnealingLR(descent(), 10), 9)
    optimizer = descent(lr=whole[4])
    optimizer.param_groups[0]["initial_lr"] = 0.1
    resumed = CosineAnnealingLR(optimizer, 10, last_epoch=3)
    assert rates(resumed, 5) == pytest.approx(whole[4:], rel=1e-12)


@pytest.mark.parametrize("base", [LRScheduler, _LRScheduler])
def test_a_program_writes_its_own(base):
    class Warmup(base):
        def __init__(self, optimizer, steps, last_epoch=-1):
            self.steps = steps
            super().__init__(optimizer, last_epoch)

        def get_lr(self):
            assert self._get_lr_called_within_step
            return [rate * min(1, (self._step_count) / self.steps) for rate in self.base_lrs]

    assert rates(Warmup(descent(), 4), 5) == pytest.approx([0.025, 0.05, 0.075, 0.1, 0.1, 0.1])
    with pytest.raises(NotImplementedError, match="must define get_lr"):
        base(descent())


def test_a_tensor_as_rate_is_filled():
    rate = torch.tensor(0.5)
    optimizer = descent(lr=rate)
    scheduler = ExponentialLR(optimizer, 0.5)
    last = rates(scheduler, 1)[1]
    assert optimizer.param_groups[0]["lr"] is rate and rate.item() == 0.25
    assert last.item() == 0.25 and last is not rate
    assert scheduler.base_lrs[0].item() == 0.5


def test_each_group_has_its_function():
    class Falling:
        def __init__(self):
            self.rate = 0.5

        def __call__(self, epoch):
            return self.rate**epoch

    optimizer = torch.optim.SGD([{"params": [torch.ones(1)]}, {"params": [torch.ones(1)], "lr": 1.0}], lr=0.1)
    scheduler = LambdaLR(optimizer, [lambda epoch: 1.0, Falling()])
    assert rates(scheduler, 2)[-2:] == [0.1, 0.25]
    state = scheduler.state_dict()
    assert state["lr_lambdas"] == [None, {"rate": 0.5}]
    other = LambdaLR(optimizer, [lambda epoch: 1.0, Falling()])
    state["lr_lambdas"][1]["rate"] = 0.1
    other.load_state_dict(state)
    assert other.lr_lambdas[1].rate == 0.1


def test_one_schedule_after_another():
    optimizer = descent()
    scheduler = SequentialLR(optimizer, [ConstantLR(optimizer, 0.1, 2), ExponentialLR(optimizer, 0.5)], [2])
    assert rates(scheduler, 4) == pytest.approx([0.01, 0.01, 0.1, 0.05, 0.025])
    assert [each["last_epoch"] for each in scheduler.state_dict()["_schedulers"]] == [1, 2]


def test_all_schedules_at_once():
    optimizer = descent()
    scheduler = ChainedScheduler([ConstantLR(optimizer, 0.1, 2), ExponentialLR(optimizer, 0.5)])
    assert rates(scheduler, 3) == pytest.approx([0.01, 0.005, 0.025, 0.0125])
    other = ChainedScheduler([ConstantLR(optimizer, 0.1, 2), ExponentialLR(optimizer, 0.5)])
    other.load_state_dict(scheduler.state_dict())
    assert other._schedulers[0].last_epoch == 3


def test_a_sequence_of_sequences_takes_back_the_first_steps():
    optimizer = descent()
    inner = ChainedScheduler([ExponentialLR(optimizer, 0.5)])
    outer = SequentialLR(optimizer, [LinearLR(optimizer, 0.5, total_iters=2), inner], [9])
    assert inner._schedulers[0].last_epoch == -1
    assert rates(outer, 3) == pytest.approx([0.05, 0.075, 0.1, 0.1])


def plateau(measures, **options):
    optimizer = descent(lr=1.0)
    scheduler = ReduceLROnPlateau(optimizer, **({"patience": 1, "factor": 0.5} | options))
    seen = []
    for measure in measures:
        scheduler.step(measure)
        seen += scheduler.get_last_lr()
    return seen


def test_a_plateau_lowers_the_rate():
    assert plateau([3, 2, 2, 2, 2, 2]) == [1, 1, 1, 0.5, 0.5, 0.25]
    assert plateau([3, 2, 2, 2, 2, 2, 2], cooldown=2) == [1, 1, 1, 0.5, 0.5, 0.5, 0.5]
    assert plateau([1, 2, 3, 3, 3], mode="max") == [1, 1, 1, 1, 0.5]
    assert plateau([9, 8.5, 8.1, 7.9], threshold=1.0, threshold_mode="abs") == [1, 1, 0.5, 0.5]
    assert plateau([1] * 6, min_lr=0.4) == [1, 1, 0.5, 0.5, 0.4, 0.4]
    assert plateau([torch.tensor(1.0)] * 4, eps=0.6) == [1, 1, 1, 1]


def test_a_plateau_and_a_group_more():
    optimizer = descent()
    scheduler = ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.01])
    optimizer.add_param_group({"params": [torch.ones(1)]})
    scheduler.step(1.0)
    with pytest.raises(RuntimeError, match="The number of param groups in the `optimizer` \\(2\\)"):
        scheduler.step(1.0)
    scheduler.min_lrs = [0.01, 0.05]
    scheduler.step(1.0)
    assert scheduler.get_last_lr() == pytest.approx([0.01, 0.05])


def test_scheduling_is_loaded_when_asked_for():
    assert torch.optim.lr_scheduler.StepLR is StepLR
    assert torch.optim.swa_utils.SWALR is SWALR


def test_the_height_of_a_cycle_has_torchs_name():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1, momentum=0.9)
    heights = {}
    for mode in ("triangular", "triangular2", "exp_range"):
        scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1.0, mode=mode, gamma=0.5)
        heights[mode] = scheduler._scale_fn_ref(3)
        assert "_scale_fn_ref" not in scheduler.state_dict()
    assert heights == {"triangular": 1.0, "triangular2": 0.25, "exp_range": 0.125}
    scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 1.0, scale_fn=lambda x: 0.5)
    assert not hasattr(scheduler, "_scale_fn_ref")


def test_an_epoch_is_warned_about_in_the_words_of_a_constant():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    optimizer.step()
    with pytest.warns(UserWarning) as told:
        scheduler.step(3)
    assert torch.optim.lr_scheduler.EPOCH_DEPRECATION_WARNING in [str(each.message) for each in told]


def test_a_rate_that_stays_keeps_its_type():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=1)
    StepLR(optimizer, 2)
    assert repr(optimizer.param_groups[0]["lr"]) == "1"


def test_the_state_of_a_cycle_names_its_height():
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1, momentum=0.9)
    scheduler = CyclicLR(optimizer, 0.1, 1.0)
    with pytest.raises(KeyError, match="_scale_fn_custom"):
        scheduler.load_state_dict({"last_epoch": 3})
