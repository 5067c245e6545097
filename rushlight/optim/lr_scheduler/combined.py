"""Schedules made of others: one after another, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from rushlight.optim.lr_scheduler.base import LRScheduler
from rushlight.optim.lr_scheduler.groups import assign, current
from rushlight.optim.lr_scheduler.plateau import ReduceLROnPlateau
from rushlight.optim.optimizer import Optimizer


class Combined(LRScheduler):
    """What both share: members that belong to one optimizer, and whose states are part of the state."""

    _schedulers: Sequence[LRScheduler]

    def _check_members(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer) -> None:
        name = type(self).__name__
        for number, each in enumerate(schedulers):
            if not hasattr(each, "optimizer"):
                raise TypeError(f"{name} at index {number} should have `optimizer` as its attribute.")
            if isinstance(each, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler, whose step wants a measure: step the one "
                    f"at index {number} beside the others"
                )
            if each.optimizer is not optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(each).__name__} at index {number} for another {type(each.optimizer).__name__}"
                )

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer, with the states of the members."""
        state = super().state_dict()
        return {
            **{name: value for name, value in state.items() if name != "_schedulers"},
            "_schedulers": [each.state_dict() for each in self._schedulers],
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave, for the members too."""
        state = dict(state_dict)
        members = state.pop("_schedulers")
        super().load_state_dict(state)
        for number, each in enumerate(members):
            self._schedulers[number].load_state_dict(each)


class SequentialLR(Combined):
    """One schedule after another: the next one starts at each of the `milestones`.

    >>> warmup = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=5)
    >>> decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    >>> scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [warmup, decay], milestones=[5])
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ):
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check_members(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got {len(schedulers)} schedulers and {len(milestones)} milestones"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # each member took its first step when it was built: back to where they were
        for group in optimizer.param_groups:
            assign(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: LRScheduler | None = None) -> None:
        """Take back the first epoch of the members, and of theirs."""
        scheduler = self if sched is None else sched
        if isinstance(scheduler, Combined):
            for each in scheduler._schedulers:
                self.recursive_undo(each)
        else:
            scheduler.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Step the schedule whose turn it is."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(Combined):
    """All schedules at each step, in their order: the rates take all their changes.

    >>> warmup = torch.optim.lr_scheduler.ConstantLR(optimizer, factor=0.1, total_iters=20)
    >>> decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    >>> scheduler = torch.optim.lr_scheduler.ChainedScheduler([warmup, decay])
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None):
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        self._check_members(schedulers, optimizer or schedulers[0].optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer or schedulers[0].optimizer
        self._last_lr = current(self.optimizer)

    def step(self) -> None:  # type: ignore[override]
        """Step all schedules."""
        for each in self._schedulers:
            each.step()
        self._last_lr = current(self.optimizer)
