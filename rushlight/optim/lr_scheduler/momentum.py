"""Momentum that falls while the rate rises: an optimizer's `momentum`, or the first of its `betas`."""

from __future__ import annotations

from typing import Any

from rushlight.optim.lr_scheduler.groups import one_per_group
from rushlight.optim.optimizer import Optimizer


def uses_beta1(optimizer: Optimizer) -> bool:
    """Whether the momentum of this optimizer is its first beta."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled: "
            f"{type(optimizer).__name__} has neither, so pass cycle_momentum=False"
        )
    return "betas" in optimizer.defaults


def set_momentum(group: dict[str, Any], value: Any, beta1: bool) -> None:
    if beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


def bounds(optimizer: Optimizer, lowest: Any, highest: Any, beta1: bool, start: bool) -> tuple[list, list]:
    """The lowest and the highest momentum of each group, which at the start the groups take over."""
    highs = one_per_group("max_momentum", optimizer, highest)
    lows = one_per_group("base_momentum", optimizer, lowest)
    if start:
        for group, low, high in zip(optimizer.param_groups, lows, highs, strict=True):
            set_momentum(group, high, beta1)
            group["max_momentum"], group["base_momentum"] = high, low
    return lows, highs
