"""Schedules that only ever lower the rate: in steps, exponentially, by a polynomial."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable

from rushlight.optim.lr_scheduler.base import Scaling
from rushlight.optim.optimizer import Optimizer


class StepLR(Scaling):
    """The rate times `gamma` every `step_size` epochs.

    >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.1)
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next_factor(self) -> float:
        return self.gamma if self.last_epoch != 0 and self.last_epoch % self.step_size == 0 else 1.0

    def _total_factor(self) -> float:
        return self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(Scaling):
    """The rate times `gamma` at each of the epochs in `milestones`.

    >>> scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[30, 80], gamma=0.1)
    """

    def __init__(self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1):
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next_factor(self) -> float:
        return self.gamma ** self.milestones[self.last_epoch]

    def _total_factor(self) -> float:
        return self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)


class ExponentialLR(Scaling):
    """The rate times `gamma` at every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _next_factor(self) -> float:
        return 1.0 if self._is_initial else self.gamma

    def _total_factor(self) -> float:
        return self.gamma**self.last_epoch


class PolynomialLR(Scaling):
    """To zero in `total_iters` epochs, as `(1 - epoch / total_iters) ** power`."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1):
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _next_factor(self) -> float:
        if self._is_initial or self.last_epoch > self.total_iters:
            return 1.0
        left = 1.0 - self.last_epoch / self.total_iters
        return (left / (1.0 - (self.last_epoch - 1) / self.total_iters)) ** self.power

    def _total_factor(self) -> float:
        return (1.0 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power
