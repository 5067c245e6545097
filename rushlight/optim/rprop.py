"""Rprop: steps that grow while a gradient keeps its sign, whatever its size."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import YOUNGER, require, require_rate
from rushlight.optim.parts import between, choose, count_step, sign, started, unchanging, zeros_as
from rushlight.optim.stepping import Array, State


class Rprop(Optimizer):
    """Resilient propagation: each element has a step size of its own; for gradients of all the data, not of batches.

    >>> optimizer = torch.optim.Rprop(model.parameters(), lr=1e-2)
    >>> optimizer.step()
    """

    younger_options = YOUNGER
    counted = ("step",)
    read_first = ("etas", "step_sizes")

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_rate(lr)
        require(0.0 < etas[0] < 1.0 < etas[1], "Invalid eta values: {}", f"{etas[0]}, {etas[1]}")
        options: dict[str, Any] = {"lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach}
        options |= {"maximize": maximize, "differentiable": differentiable, "capturable": capturable}
        super().__init__(params, options, clip_norm, clip_value)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        lr = group["lr"]
        lr = lr.item() if isinstance(lr, Tensor) else lr
        state = started(array, group, "prev")
        # the two parts of a complex number move apart
        state["step_size"] = zeros_as(array)
        state["step_size"][...] = complex(lr, lr) if array.dtype.kind == "c" else lr
        return state

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        smaller, larger = group["etas"]
        before, size = state["prev"], state["step_size"]
        count_step(state)
        turn = sign(grad * unchanging(before))
        scaled = unchanging(size) * choose(turn > 0, larger, choose(turn < 0, smaller, 1 - turn))
        size[...] = between(scaled, *group["step_sizes"])
        # an element that has gone too far stays for a step
        grad = choose(turn < 0, 0.0, grad)
        array -= sign(grad) * size
        before[...] = grad


__all__ = ["Rprop"]
