"""LRScheduler: after each epoch, or each step, a new learning rate for every group of an optimizer."""

from __future__ import annotations

from typing import Any

from rushlight.errors.warning import warn
from rushlight.optim.lr_scheduler import order
from rushlight.optim.lr_scheduler.groups import Rate, assign, current, require_optimizer, unshared
from rushlight.optim.optimizer import Optimizer


class LRScheduler:
    """The base of all schedules; a program's own says in `get_lr` what the rates are at `last_epoch`.

    >>> class Halving(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [base / 2**self.last_epoch for base in self.base_lrs]
    >>> scheduler = Halving(optimizer)
    >>> for epoch in range(10):
    ...     train(optimizer)
    ...     scheduler.step()

    `last_epoch` continues a run whose optimizer was loaded from a checkpoint; -1 starts one.
    """

    # torch's names: programs' own schedules read these
    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        require_optimizer(optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", unshared(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    f"last_epoch >= 0: it is {last_epoch}. Load the optimizer's state_dict first, or leave "
                    "last_epoch=-1 to start anew"
                )
        self.base_lrs: list[Rate] = current(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        order.watch(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Set the rates that the first epoch runs with."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def get_last_lr(self) -> list[Rate]:
        """The rates as of the last step, one for each group."""
        return self._last_lr

    def get_lr(self) -> list[Rate]:
        """The rates at `last_epoch`, one for each group; `step` calls it."""
        raise NotImplementedError(f"{type(self).__name__} must define get_lr()")

    def step(self, epoch: int | None = None) -> None:
        """Set the next rates; call it after the optimizer's step."""
        if self._step_count == 1:
            order.check(self.optimizer)
        self._step_count += 1
        if epoch is not None:
            warn(order.EPOCH_DEPRECATION_WARNING)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        """Go on to the next epoch or jump to one, which takes the closed form if the schedule has one."""
        closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set(closed)

    def _set(self, rates: Any = None) -> None:
        """Ask for the rates and give them to the groups."""
        self._get_lr_called_within_step = True
        try:
            values = self.get_lr() if rates is None else rates()
        finally:
            self._get_lr_called_within_step = False
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            assign(group, "lr", value)
        self._last_lr: list[Rate] = current(self.optimizer)

    def _warn_outside_step(self) -> None:
        """Chained forms give the rate after the next one when a program calls `get_lr` itself."""
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer; torch's layout."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        vars(self).update(state_dict)


class _LRScheduler(LRScheduler):
    """The name that schedules were derived from before LRScheduler was public."""


class Scaling(LRScheduler):
    """A schedule that scales the rates of all groups alike, in two forms.

    The chained form multiplies the current rates, so that several schedules may act on one optimizer; the closed
    form multiplies the rates at the start.
    """

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        factor = self._next_factor()
        # a rate that stays is the very same, an integer too
        return [group["lr"] if factor == 1 else group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self) -> list[Rate]:
        factor = self._total_factor()
        return [base * factor for base in self.base_lrs]

    def _next_factor(self) -> float:
        """From the rate before `last_epoch` to the one at it."""
        raise NotImplementedError

    def _total_factor(self) -> float:
        """From the rate at the start to the one at `last_epoch`."""
        raise NotImplementedError
