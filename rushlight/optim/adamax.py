"""Adamax: Adam with the largest gradient in place of the root of the squared ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import YOUNGER, require_kin_of_adam
from rushlight.optim.parts import average, count_step, descend, keep_largest, require_dtype, started, with_decay
from rushlight.optim.stepping import Array, State


class Adamax(Optimizer):
    """Moves each parameter by the mean of its gradients over their largest, which slowly fades.

    >>> optimizer = torch.optim.Adamax(model.parameters(), lr=2e-3)
    >>> optimizer.step()
    """

    younger_options = YOUNGER
    counted = ("step",)
    read_first = ("betas", "eps", "lr", "weight_decay")

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_kin_of_adam(lr, betas, eps, weight_decay)
        options: dict[str, Any] = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        options |= {"foreach": foreach, "maximize": maximize}
        options |= {"differentiable": differentiable, "capturable": capturable}
        super().__init__(params, options, clip_norm, clip_value)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        return started(array, group, "exp_avg", "exp_inf")

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        beta1, beta2 = group["betas"]
        largest = state["exp_inf"]
        count = count_step(state)
        grad = with_decay(array, grad, group)
        require_dtype(state["exp_avg"], grad)
        mean = average(state["exp_avg"], grad, 1 - beta1)
        largest *= beta2
        keep_largest(largest, abs(grad) + group["eps"])
        descend(array, group["lr"] / (1 - beta1**count), mean, largest)


__all__ = ["Adamax"]
