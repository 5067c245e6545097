"""CyclicLR: rates that rise and fall between two bounds, over and over."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from rushlight.optim.lr_scheduler.base import LRScheduler
from rushlight.optim.lr_scheduler.groups import Rate, assign, one_per_group, require_optimizer
from rushlight.optim.lr_scheduler.lambdas import attributes
from rushlight.optim.lr_scheduler.momentum import bounds, set_momentum, uses_beta1
from rushlight.optim.optimizer import Optimizer

# what each mode's height depends on: the number of the cycle or of the step
MODES = {"triangular": "cycle", "triangular2": "cycle", "exp_range": "iterations"}


class CyclicLR(LRScheduler):
    """From `base_lr` to `max_lr` and back, with momentum the other way; one step is one batch.

    `triangular` keeps the height of the cycles, `triangular2` halves it each time, `exp_range` multiplies it by
    `gamma` at each step. `scale_fn` says the height itself, from the number of the cycle or of the step
    (`scale_mode`).

    >>> scheduler = torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.01, max_lr=0.1, step_size_up=50)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ):
        require_optimizer(optimizer)
        self.optimizer = optimizer
        start = last_epoch == -1
        base_lrs = one_per_group("base_lr", optimizer, base_lr)
        self.max_lrs = one_per_group("max_lr", optimizer, max_lr)
        if start:
            for group, lowest in zip(optimizer.param_groups, base_lrs, strict=True):
                assign(group, "lr", lowest)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if scale_fn is None and mode not in MODES:
            raise ValueError(f"mode is invalid and scale_fn is None: it is {mode!r}, not one of {', '.join(MODES)}")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else MODES[mode]
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = uses_beta1(optimizer)
            lows, highs = bounds(optimizer, base_momentum, max_momentum, self.use_beta1, start)
            self.base_momentums, self.max_momentums = lows, highs
        super().__init__(optimizer, last_epoch)
        # an earlier schedule's first rates are not this one's lowest
        self.base_lrs = base_lrs

    def scale_fn(self, x: float) -> float:
        """The height of a cycle, from its number or from that of the step."""
        return self._scale_fn_ref(x) if self._scale_fn_custom is None else self._scale_fn_custom(x)

    @property
    def _scale_fn_ref(self) -> Callable[[float], float]:
        """The height of the mode; torch's name. There is none where a program gave `scale_fn`."""
        if self._scale_fn_custom is not None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '_scale_fn_ref'")
        if self.mode == "exp_range":
            return partial(self._exp_range_scale_fn, self.gamma)
        return self._triangular_scale_fn if self.mode == "triangular" else self._triangular2_scale_fn

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def get_lr(self) -> list[Rate]:
        """The rates at `last_epoch`; sets the momentum too."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        place = 1.0 + self.last_epoch / self.total_size - cycle
        if place <= self.step_ratio:
            part = place / self.step_ratio
        else:
            part = (place - 1) / (self.step_ratio - 1)
        height = part * self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            spans = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, spans, strict=True):
                set_momentum(group, high - (high - low) * height, self.use_beta1)
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer; of a `scale_fn` that is an object its attributes."""
        state = super().state_dict()
        function = state.pop("_scale_fn_custom")
        return {**state, "_scale_fn_custom": None if function is None else attributes(function)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave; a plain `scale_fn` stays that of this schedule."""
        state = dict(state_dict)
        function = state.pop("_scale_fn_custom")
        super().load_state_dict(state)
        if function is not None:
            vars(self._scale_fn_custom).update(function)
