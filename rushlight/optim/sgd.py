"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, refuse_differentiable, require, require_rate


class SGD(Optimizer):
    """Moves each parameter against its gradient.

    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    >>> optimizer.step()
    """

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ):
        require_rate(lr)
        require(momentum >= 0.0, "Invalid momentum value: {}", momentum)
        require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        refuse_differentiable(differentiable)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        options = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        options |= {"nesterov": nesterov, "maximize": maximize, "foreach": foreach}
        super().__init__(params, options | {"differentiable": differentiable, "fused": fused})

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        return {"momentum_buffer": np.zeros_like(array)} if group["momentum"] else {}

    def step_for(self, array: np.ndarray, grad: np.ndarray, state: dict, group: dict[str, Any], first: bool) -> None:
        if group["weight_decay"]:
            grad = grad + group["weight_decay"] * array
        momentum = group["momentum"]
        if momentum:
            buffer = state["momentum_buffer"]
            if first:
                buffer[...] = grad
            else:
                buffer *= momentum
                buffer += (1 - group["dampening"]) * grad
            grad = grad + momentum * buffer if group["nesterov"] else buffer
        array -= float(group["lr"]) * grad
