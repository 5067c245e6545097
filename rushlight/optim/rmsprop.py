"""RMSprop: steps divided by a running root mean square of the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import YOUNGER, require, require_rate
from rushlight.optim.parts import (
    average,
    average_squares,
    count_step,
    descend,
    require_dtype,
    square_root,
    started,
    with_decay,
)
from rushlight.optim.stepping import Array, State
from rushlight.optim.twins import twin


class RMSprop(Optimizer):
    """Moves each parameter by its gradient over the root of that one's running mean square.

    >>> optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-2)
    >>> optimizer.step()
    """

    younger_options = {"momentum": 0, "centered": False, **YOUNGER}  # noqa: RUF012
    counted = ("step",)
    read_last = ("lr", "alpha", "eps", "weight_decay", "momentum", "centered")

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        *,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_rate(lr)
        require(eps >= 0.0, "Invalid epsilon value: {}", eps)
        require(momentum >= 0.0, "Invalid momentum value: {}", momentum)
        require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        require(alpha >= 0.0, "Invalid alpha value: {}", alpha)
        options: dict[str, Any] = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
        }
        options |= {"weight_decay": weight_decay, "capturable": capturable, "foreach": foreach}
        options |= {"maximize": maximize, "differentiable": differentiable}
        super().__init__(params, options, clip_norm, clip_value)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        names = ["square_avg"]
        names += ["momentum_buffer"] if group["momentum"] > 0 else []
        names += ["grad_avg"] if group["centered"] else []
        return started(array, group, *names)

    @twin
    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        alpha, lr = group["alpha"], group["lr"]
        count_step(state)
        grad = with_decay(array, grad, group)
        square = average_squares(state["square_avg"], grad, alpha)
        if group["centered"]:
            require_dtype(state["grad_avg"], grad)
            mean = average(state["grad_avg"], grad, 1 - alpha)
            root = square_root(square - mean * mean)
        else:
            root = square_root(square)
        root += group["eps"]
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            buffer *= group["momentum"]
            buffer += grad / root
            descend(array, lr, buffer)
        else:
            descend(array, lr, grad, root)


__all__ = ["RMSprop"]
