"""Adam: steps scaled by running means of the gradient and of its square."""

from __future__ import annotations

import math
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


class Adam(Optimizer):
    """Adam as in algorithm 1 of the paper: epsilon is added after the bias correction.

    >>> optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    >>> optimizer.step()
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ):
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        require_rate(lr)
        require(eps >= 0.0, "Invalid epsilon value: {}", eps)
        for place, beta in enumerate(betas):
            require(0.0 <= float(beta) < 1.0, f"Invalid beta parameter at index {place}: {{}}", beta)
        require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        refuse_differentiable(differentiable)
        if foreach and fused:
            raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad}
        options |= {"maximize": maximize, "foreach": foreach, "capturable": capturable}
        options |= {"differentiable": differentiable, "fused": fused}
        super().__init__(params, options | {"decoupled_weight_decay": decoupled_weight_decay})

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        return started(array, "exp_avg", "exp_avg_sq", *(["max_exp_avg_sq"] if group["amsgrad"] else []))

    def step_for(self, array: np.ndarray, grad: np.ndarray, state: dict, group: dict[str, Any], first: bool) -> None:
        lr, decay = float(group["lr"]), group["weight_decay"]
        beta1, beta2 = group["betas"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        count = count_step(state)
        if decay:
            if group.get("decoupled_weight_decay"):
                array *= 1 - lr * decay
            else:
                grad = grad + decay * array
        mean += (1 - beta1) * (grad - mean)
        square *= beta2
        square += (1 - beta2) * grad * grad
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = np.maximum(largest, square, largest)
        root = np.sqrt(square)
        root /= math.sqrt(1 - beta2**count)
        root += group["eps"]
        np.divide(mean, root, root)
        root *= lr / (1 - beta1**count)
        array -= root
