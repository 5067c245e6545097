"""Schedules along half a cosine wave, once or with restarts."""

from __future__ import annotations

import math

from rushlight.optim.lr_scheduler.base import LRScheduler
from rushlight.optim.lr_scheduler.groups import Rate, current
from rushlight.optim.optimizer import Optimizer


class CosineAnnealingLR(LRScheduler):
    """From the first rate to `eta_min` in `T_max` epochs, and back in the next `T_max`.

    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=100)
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1):
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        rates = current(self.optimizer)
        if self._is_initial:
            return rates
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            # the rate before is the lowest: nothing is left of it to multiply
            rise = 1 - height(1, self.T_max)
            return [rate + (base - self.eta_min) * rise for rate, base in zip(rates, self.base_lrs, strict=True)]
        factor = height(self.last_epoch, self.T_max) / height(self.last_epoch - 1, self.T_max)
        return [factor * (rate - self.eta_min) + self.eta_min for rate in rates]

    def _get_closed_form_lr(self) -> list[Rate]:
        now = height(self.last_epoch, self.T_max)
        return [self.eta_min + (base - self.eta_min) * now for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """From the first rate to `eta_min` in `T_0` epochs, then again, each time in `T_mult` times as many.

    Epochs may be fractions: `scheduler.step(epoch + batch / batches)`.
    """

    def __init__(self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1):
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        now = height(self.T_cur, self.T_i)
        return [self.eta_min + (base - self.eta_min) * now for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on to the next epoch, or jump to one, which may be a fraction."""
        if epoch is None and self.last_epoch >= 0:
            self._go_on()
            epoch = self.last_epoch + 1
        else:
            epoch = epoch or 0
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._jump(epoch)
        self.last_epoch = math.floor(epoch)
        self._set()

    def _go_on(self) -> None:
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur %= self.T_i
            self.T_i *= self.T_mult

    def _jump(self, epoch: float) -> None:
        if epoch < self.T_0:
            self.T_cur, self.T_i = epoch, self.T_0
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            # waves of T_0, T_0 T_mult, ...: `past` of them took T_0 (T_mult^past - 1) / (T_mult - 1) epochs
            past = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**past - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**past


def height(epoch: float, period: float) -> float:
    """Half a cosine wave: 1 at epoch 0, 0 at `period`."""
    return (1 + math.cos(math.pi * epoch / period)) / 2
