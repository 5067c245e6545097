"""ASGD: gradient descent with falling steps, and the average of where it has been."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import YOUNGER, require, require_rate
from rushlight.optim.parts import count_step, counter_dtype, descend, number, started, with_decay, zeros_as
from rushlight.optim.stepping import Array, State


class ASGD(Optimizer):
    """Averaged descent: from step `t0` on, the mean of the parameters is in `state[param]["ax"]`.

    >>> optimizer = torch.optim.ASGD(model.parameters(), lr=1e-2, t0=100)
    >>> optimizer.step()
    """

    younger_options = YOUNGER
    counted = ("step", "eta", "mu")
    read_last = ("lambd", "lr", "t0", "alpha", "weight_decay")

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
        *,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_rate(lr)
        require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        options: dict[str, Any] = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0}
        options |= {"weight_decay": weight_decay, "foreach": foreach, "maximize": maximize}
        options |= {"differentiable": differentiable, "capturable": capturable}
        super().__init__(params, options, clip_norm, clip_value)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        state = started(array, group)
        lr = group["lr"]
        state["eta"] = np.full_like(state["step"], lr.item() if isinstance(lr, Tensor) else lr)
        state["mu"] = np.ones_like(state["step"])
        return state | {"ax": zeros_as(array)}

    def writes_for(self, group: dict[str, Any]) -> int:
        return 1 if group["foreach"] else 2  # the decay is a write of its own

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        lr, lambd = group["lr"], group["lambd"]
        mean = state["ax"]
        count = count_step(state)
        grad = with_decay(array, grad, group)
        rate, share = number(state["eta"]), number(state["mu"])
        array *= 1 - lambd * rate
        descend(array, rate, grad)
        if share == 1:
            mean[...] = array
        else:
            # no lerp: the parameter may have been converted since
            mean += share * (array - mean)
        rate = lr / (1 + lambd * lr * count) ** group["alpha"]
        # as in torch, in the precision in which steps are counted, whatever that of a loaded state
        kept = counter_dtype(group)
        state["eta"][...] = rate if isinstance(rate, Tensor) else float(kept(rate))
        state["mu"][...] = float(kept(1 / max(1, count - group["t0"])))


__all__ = ["ASGD"]
