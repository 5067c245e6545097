"""NAdam: Adam with Nesterov's momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import require, require_betas, require_rate
from rushlight.optim.parts import count_step, decayed, number, square_root, started
from rushlight.optim.stepping import Array, State


class NAdam(Optimizer):
    """Adam that looks a step of its momentum ahead, with a momentum that grows as steps go by.

    >>> optimizer = torch.optim.NAdam(model.parameters(), lr=2e-3)
    >>> optimizer.step()
    """

    younger_options = {  # noqa: RUF012
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
    }

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_rate(lr)
        require(eps >= 0.0, "Invalid epsilon value: {}", eps)
        require_betas(betas)
        require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        require(momentum_decay >= 0.0, "Invalid momentum_decay value: {}", momentum_decay)
        options: dict[str, Any] = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        options |= {"momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay}
        options |= {"maximize": maximize, "foreach": foreach}
        options |= {"capturable": capturable, "differentiable": differentiable}
        super().__init__(params, options, clip_norm, clip_value)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        state = started(array, group)
        state["mu_product"] = np.ones_like(state["step"])
        return state | {name: np.zeros_like(array) for name in ("exp_avg", "exp_avg_sq")}

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        lr, decay = group["lr"], group["weight_decay"]
        beta1, beta2 = group["betas"]
        mean, square, product = state["exp_avg"], state["exp_avg_sq"], state["mu_product"]
        count = count_step(state)
        if decay:
            if group["decoupled_weight_decay"]:
                array *= 1 - lr * decay
            else:
                grad = decayed(grad, array, decay)
        # the momentum of this step and of the next one
        now, then = [beta1 * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"])) for step in (count, count + 1)]
        product *= now
        mean += (1 - beta1) * (grad - mean)
        square *= beta2
        square += (1 - beta2) * grad * grad
        # as in Adam: epsilon times the correction, so that the root need not be divided
        correction = (1 - beta2**count) ** 0.5
        root = square_root(square)
        root += group["eps"] * correction
        passed = number(product)
        array -= (lr * correction * (1 - now) / (1 - passed)) * grad / root
        array -= (lr * correction * then / (1 - passed * then)) * mean / root


__all__ = ["NAdam"]
