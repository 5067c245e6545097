"""OneCycleLR: one rise to a high rate, then down to nearly nothing, in a given number of steps."""

from __future__ import annotations

import math
from typing import Any

from rushlight.optim.lr_scheduler.base import LRScheduler
from rushlight.optim.lr_scheduler.groups import Rate, one_per_group, require_optimizer
from rushlight.optim.lr_scheduler.momentum import bounds, set_momentum, uses_beta1
from rushlight.optim.optimizer import Optimizer


class OneCycleLR(LRScheduler):
    """From `max_lr / div_factor` up to `max_lr`, then down to a `final_div_factor`th of the first rate.

    One step is one batch; there are `total_steps` of them, or `epochs` times `steps_per_epoch`. With `three_phase`
    the way down is as long as the way up, and the rest goes from the first rate to the last.

    >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.01, steps_per_epoch=100, epochs=10)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ):
        require_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = count_steps(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._schedule_phases = phases(self.total_steps, pct_start, three_phase)
        self._anneal_func_type = anneal_strategy
        start = last_epoch == -1
        for group, highest in zip(optimizer.param_groups, one_per_group("max_lr", optimizer, max_lr), strict=True):
            if start:
                group["initial_lr"] = highest / div_factor
                group["max_lr"] = highest
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = uses_beta1(optimizer)
            bounds(optimizer, base_momentum, max_momentum, self.use_beta1, start)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        """The rates at `last_epoch`; sets the momentum too."""
        self._warn_outside_step()
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        phase, part = self._phase()
        groups = self.optimizer.param_groups
        rates = []
        for group in groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                value = self._between(group[phase["start_momentum"]], group[phase["end_momentum"]], part)
                set_momentum(group, value, self.use_beta1)
        return rates

    def _phase(self) -> tuple[dict[str, Any], float]:
        """The phase that `last_epoch` is in, and how much of it is over."""
        begin, last = 0.0, self._schedule_phases[-1]
        for phase in self._schedule_phases:
            if self.last_epoch <= phase["end_step"] or phase is last:
                break
            begin = phase["end_step"]
        return phase, (self.last_epoch - begin) / (phase["end_step"] - begin)

    def _between(self, start: Any, end: Any, part: float) -> Any:
        if self._anneal_func_type == "linear":
            return start + (end - start) * part
        return end + (start - end) / 2.0 * (1 + math.cos(math.pi * part))


def count_steps(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    """All steps of the schedule, given as one number or as two."""
    if total_steps is not None:
        return positive("total_steps", total_steps)
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    return positive("epochs", epochs) * positive("steps_per_epoch", steps_per_epoch)


def positive(name: str, value: int) -> int:
    if not isinstance(value, int) or value <= 0:
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


def phases(total: int, rising: float, three: bool) -> list[dict[str, Any]]:
    """Where each phase ends, and between which options of a group its rates and momenta go; torch's layout."""
    ends: list[float] = [float(rising * total) - 1, total - 1]
    rates = ["initial_lr", "max_lr", "min_lr"]
    momenta = ["max_momentum", "base_momentum", "max_momentum"]
    if three:
        ends.insert(1, float(2 * rising * total) - 2)
        rates.insert(2, "initial_lr")
        momenta.append("max_momentum")
    return [
        {
            "end_step": end,
            "start_lr": rates[number],
            "end_lr": rates[number + 1],
            "start_momentum": momenta[number],
            "end_momentum": momenta[number + 1],
        }
        for number, end in enumerate(ends)
    ]
