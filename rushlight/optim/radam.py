"""RAdam: Adam that divides by the root of squares only once enough of them are averaged."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import require_kin_of_adam
from rushlight.optim.parts import (
    count_step,
    descend,
    moments,
    square_root,
    started,
    with_either_decay,
    writes_with_either_decay,
)
from rushlight.optim.stepping import Array, State


class RAdam(Optimizer):
    """Rectified Adam: the first steps are those of momentum, since the variance of few squares is large.

    >>> optimizer = torch.optim.RAdam(model.parameters(), lr=1e-3)
    >>> optimizer.step()
    """

    younger_options = {  # noqa: RUF012
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "capturable": False,
    }
    counted = ("step",)
    read_first = ("betas",)
    read_last = ("lr", "weight_decay", "eps")

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_kin_of_adam(lr, betas, eps, weight_decay)
        options: dict[str, Any] = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        options |= {"maximize": maximize, "foreach": foreach, "capturable": capturable}
        options |= {"decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable}
        super().__init__(params, options, clip_norm, clip_value)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        return started(array, group, "exp_avg", "exp_avg_sq")

    def writes_for(self, group: dict[str, Any]) -> int:
        return writes_with_either_decay(group)

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        beta1, beta2 = group["betas"]
        count = count_step(state)
        mean, square = moments(state, with_either_decay(array, grad, group), group)
        rate = group["lr"] / (1 - beta1**count)
        correction = 1 - beta2**count
        # how many squares the running mean averages: in the long run, and so far
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * count * beta2**count / correction
        if length > 5:
            rectified = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            root = square_root(square)
            root += group["eps"]
            descend(array, rate * (rectified * correction) ** 0.5, mean, root)
        else:
            descend(array, rate, mean)


__all__ = ["RAdam"]
