"""NAdam: Adam with Nesterov's momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import require, require_kin_of_adam
from rushlight.optim.parts import (
    count_step,
    descend,
    moments,
    number,
    square_root,
    started,
    with_either_decay,
    writes_with_either_decay,
    zeros_as,
)
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
    counted = ("step", "mu_product")
    read_first = ("betas",)
    read_last = ("lr", "weight_decay", "momentum_decay", "eps")

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
        require_kin_of_adam(lr, betas, eps, weight_decay)
        require(momentum_decay >= 0.0, "Invalid momentum_decay value: {}", momentum_decay)
        options: dict[str, Any] = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        options |= {"momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay}
        options |= {"maximize": maximize, "foreach": foreach}
        options |= {"capturable": capturable, "differentiable": differentiable}
        super().__init__(params, options, clip_norm, clip_value)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        state = started(array, group)
        state["mu_product"] = np.ones_like(state["step"])
        return state | {name: zeros_as(array) for name in ("exp_avg", "exp_avg_sq")}

    def writes_for(self, group: dict[str, Any]) -> int:
        return 1 + writes_with_either_decay(group)  # the gradient and the mean move it one after the other

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        lr, (beta1, beta2) = group["lr"], group["betas"]
        count = count_step(state)
        grad = with_either_decay(array, grad, group)
        # the momentum of this step and of the next one
        now, then = [beta1 * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"])) for step in (count, count + 1)]
        product = state["mu_product"]
        product *= now
        mean, square = moments(state, grad, group)
        # as in Adam: epsilon times the correction, so that the root need not be divided
        correction = (1 - beta2**count) ** 0.5
        root = square_root(square)
        root += group["eps"] * correction
        # in a step that is differentiated the product has a history
        passed = product if isinstance(product, Tensor) and product.requires_grad else number(product)
        descend(array, lr * correction * (1 - now) / (1 - passed), grad, root)
        descend(array, lr * correction * then / (1 - passed * then), mean, root)


__all__ = ["NAdam"]
