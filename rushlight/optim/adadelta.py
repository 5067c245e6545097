"""Adadelta: steps as large as recent steps were, relative to recent gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import YOUNGER, require, require_rate
from rushlight.optim.parts import average_squares, count_step, descend, square_root, started, with_decay
from rushlight.optim.stepping import Array, State


class Adadelta(Optimizer):
    """Moves each parameter by its gradient times the root mean square of past steps over that of past gradients.

    >>> optimizer = torch.optim.Adadelta(model.parameters())
    >>> optimizer.step()
    """

    younger_options = YOUNGER
    counted = ("step",)
    read_first = ("lr", "rho", "eps", "weight_decay")

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_rate(lr)
        require(0.0 <= rho <= 1.0, "Invalid rho value: {}", rho)
        require(eps >= 0.0, "Invalid epsilon value: {}", eps)
        require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        options: dict[str, Any] = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay}
        options |= {"maximize": maximize, "capturable": capturable}
        options |= {"foreach": foreach, "differentiable": differentiable}
        super().__init__(params, options, clip_norm, clip_value)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        return started(array, group, "square_avg", "acc_delta")

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        rho, eps = group["rho"], group["eps"]
        steps = state["acc_delta"]
        count_step(state)
        grad = with_decay(array, grad, group)
        square = average_squares(state["square_avg"], grad, rho)
        step = square_root(steps + eps) / square_root(square + eps) * grad
        average_squares(steps, step, rho)
        descend(array, group["lr"], step)


__all__ = ["Adadelta"]
