"""Adagrad: steps divided by the root of all squared gradients so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.tensor import Tensor, wrap
from rushlight.optim.optimizer import Optimizer, count_step, refuse_differentiable, require, require_rate


class Adagrad(Optimizer):
    """Moves each parameter by its gradient over the root of the sum of its squared gradients."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ):
        require_rate(lr)
        require(lr_decay >= 0.0, "Invalid lr_decay value: {}", lr_decay)
        require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        require(
            initial_accumulator_value >= 0.0,
            "Invalid initial_accumulator_value value: {}",
            initial_accumulator_value,
        )
        require(eps >= 0.0, "Invalid epsilon value: {}", eps)
        refuse_differentiable(differentiable)
        options = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        options |= {"initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize}
        super().__init__(params, options | {"differentiable": differentiable, "fused": fused})
        # unlike the others, Adagrad has its state from the start
        for group in self.param_groups:
            for param in group["params"]:
                made = self.state_for(param._array, group)
                self.state[param] = {name: wrap(each) for name, each in made.items()}

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        start = group["initial_accumulator_value"]
        if array.dtype.kind == "c":
            start = complex(start, start)
        return {"step": np.zeros((), np.float32), "sum": np.full_like(array, start)}

    def step_for(self, array: np.ndarray, grad: np.ndarray, state: dict, group: dict[str, Any], first: bool) -> None:
        count = count_step(state)
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * array
        rate = float(group["lr"]) / (1 + (count - 1) * group["lr_decay"])
        total = state["sum"]
        total += grad * grad
        array -= rate * (grad / (np.sqrt(total) + group["eps"]))
