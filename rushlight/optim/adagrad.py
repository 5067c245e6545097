"""Adagrad: steps divided by the root of all squared gradients so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor, wrap
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import require, require_one_form, require_rate
from rushlight.optim.parts import add_squares, count_step, descend, square_root, started, with_decay
from rushlight.optim.stepping import Array, State


class Adagrad(Optimizer):
    """Moves each parameter by its gradient over the root of the sum of its squared gradients.

    >>> optimizer = torch.optim.Adagrad(model.parameters(), lr=1e-2)
    >>> optimizer.step()
    """

    younger_options = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}  # noqa: RUF012
    counted = ("step",)
    read_last = ("lr", "weight_decay", "lr_decay", "eps")

    def __init__(
        self,
        params: ParamsT | None = None,
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
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_rate(lr)
        start = initial_accumulator_value
        require(lr_decay >= 0.0, "Invalid lr_decay value: {}", lr_decay)
        require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)
        require(start >= 0.0, "Invalid initial_accumulator_value value: {}", start)
        require(eps >= 0.0, "Invalid epsilon value: {}", eps)
        options: dict[str, Any] = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        options |= {"initial_accumulator_value": start, "foreach": foreach, "maximize": maximize}
        super().__init__(params, options | {"differentiable": differentiable, "fused": fused}, clip_norm, clip_value)
        require_one_form(fused, foreach, differentiable)
        # unlike the others, Adagrad has its state from the start
        for group in self.param_groups:
            for param in group["params"]:
                made = self.state_for(param._array, group)
                self.state[param] = {name: wrap(each) for name, each in made.items()}

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        # as in torch, a group cannot have a start of its own
        start = self.defaults["initial_accumulator_value"]
        state = started(array, group, "sum")
        state["sum"][...] = complex(start, start) if array.dtype.kind == "c" else start
        return state

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        count = count_step(state)
        grad = with_decay(array, grad, group)
        rate = group["lr"] / (1 + (count - 1) * group["lr_decay"])
        total = add_squares(state["sum"], grad)
        root = square_root(total)
        root += group["eps"]
        descend(array, rate, grad, root)

    def share_memory(self) -> None:
        """Share the sums between processes; see `Tensor.share_memory_`."""
        for group in self.param_groups:
            for param in group["params"]:
                self.state[param]["sum"].share_memory_()


__all__ = ["Adagrad"]
