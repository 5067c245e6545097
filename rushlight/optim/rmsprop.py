"""RMSprop: steps divided by a running root mean square of the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.tensor import Tensor
from rushlight.optim.optimizer import (
    Optimizer,
    count_step,
    refuse_differentiable,
    require,
    require_rate,
    started,
)


class RMSprop(Optimizer):
    """Moves each parameter by its gradient over the root of that one's running mean square."""

    def __init__(
        self,
        params: Any,
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
    ):
        require_rate(lr)
        require(eps >= 0.0, "Invalid epsilon value: {}", eps)
        require(momentum >= 0.0, "Invalid momentum value: {}", momentum)
        require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        require(alpha >= 0.0, "Invalid alpha value: {}", alpha)
        refuse_differentiable(differentiable)
        options = {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered}
        options |= {"weight_decay": weight_decay, "capturable": capturable, "foreach": foreach}
        super().__init__(params, options | {"maximize": maximize, "differentiable": differentiable})

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        names = ["square_avg"]
        names += ["momentum_buffer"] if group["momentum"] > 0 else []
        names += ["grad_avg"] if group["centered"] else []
        return started(array, *names)

    def step_for(self, array: np.ndarray, grad: np.ndarray, state: dict, group: dict[str, Any], first: bool) -> None:
        alpha, lr = group["alpha"], float(group["lr"])
        square = state["square_avg"]
        count_step(state)
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * array
        square *= alpha
        square += (1 - alpha) * grad * grad
        if group["centered"]:
            mean = state["grad_avg"]
            mean += (1 - alpha) * (grad - mean)
            root = np.sqrt(square - mean * mean)
        else:
            root = np.sqrt(square)
        root += group["eps"]
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            buffer *= group["momentum"]
            buffer += grad / root
            array -= lr * buffer
        else:
            array -= lr * (grad / root)
