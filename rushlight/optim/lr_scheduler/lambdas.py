"""Schedules given by a function of the epoch."""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

from rushlight.core.surface.naming import make_own
from rushlight.optim.lr_scheduler.base import LRScheduler
from rushlight.optim.lr_scheduler.groups import Rate, current
from rushlight.optim.optimizer import Optimizer


class Given(LRScheduler):
    """What both schedules share: a function for each group, whose attributes belong to the state."""

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ):
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        given = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
        if len(given) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(given)}")
        self.lr_lambdas: list[Callable[[int], float]] = given
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer; of a function that is an object its attributes, of a plain one nothing."""
        state = super().state_dict()
        functions = state.pop("lr_lambdas")
        return {**state, "lr_lambdas": [attributes(each) for each in functions]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave; plain functions stay those of this schedule."""
        state = dict(state_dict)
        functions = state.pop("lr_lambdas")
        super().load_state_dict(state)
        for number, each in enumerate(functions):
            if each is not None:
                vars(self.lr_lambdas[number]).update(each)


class LambdaLR(Given):
    """The first rate times a function of the epoch.

    >>> scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.95**epoch)
    """

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * function(self.last_epoch) for base, function in pairs]


class MultiplicativeLR(Given):
    """The rate before times a function of the epoch.

    >>> scheduler = torch.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.95)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | list[Callable[[int], float]],
        last_epoch: int = -1,
    ):
        for each in lr_lambda if isinstance(lr_lambda, (list, tuple)) else [lr_lambda]:
            if not callable(each):
                raise TypeError(f"lr_lambda should be a function, but got {type(each).__name__}")
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> list[Rate]:
        self._warn_outside_step()
        rates = current(self.optimizer)
        if self._is_initial:
            return rates
        return [rate * function(self.last_epoch) for rate, function in zip(rates, self.lr_lambdas, strict=True)]


def attributes(function: Callable) -> dict[str, Any] | None:
    """What a checkpoint keeps of a function: nothing of a plain one, the attributes of an object."""
    # what torch.compile makes of a function is one too
    inner = getattr(function, "_torchdynamo_orig_callable", function)
    if isinstance(inner, (FunctionType, BuiltinFunctionType)):
        return None
    return vars(function).copy()


for _kind in (LambdaLR, MultiplicativeLR):
    make_own(_kind, "__init__")
