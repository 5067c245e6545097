"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import require, require_one_form, require_rate
from rushlight.optim.parts import descend, with_decay, zeros_as
from rushlight.optim.stepping import Array, State
from rushlight.optim.twins import twin


class SGD(Optimizer):
    """Moves each parameter against its gradient.

    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    >>> optimizer.step()
    """

    younger_options = {  # noqa: RUF012
        "nesterov": False,
        "maximize": False,
        "foreach": None,
        "differentiable": False,
        "fused": False,
    }
    read_first = ("momentum", "weight_decay", "lr", "dampening", "nesterov", "maximize")
    begins_late = "momentum_buffer"

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_rate(lr)
        require(momentum >= 0.0, "Invalid momentum value: {}", momentum)
        require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        options: dict[str, Any] = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
        }
        options |= {"nesterov": nesterov, "maximize": maximize, "foreach": foreach}
        super().__init__(params, options | {"differentiable": differentiable, "fused": fused}, clip_norm, clip_value)
        require_one_form(fused, foreach, differentiable)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        return {"momentum_buffer": zeros_as(array)} if group["momentum"] else {}

    @twin
    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        momentum = group["momentum"]
        grad = with_decay(array, grad, group)
        if momentum:
            buffer = state["momentum_buffer"]
            if first:
                buffer[...] = grad
            else:
                buffer *= momentum
                buffer += (1 - group["dampening"]) * grad
            grad = grad + momentum * buffer if group["nesterov"] else buffer
        descend(array, group["lr"], grad)


__all__ = ["SGD"]
