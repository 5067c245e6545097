"""Adam: steps scaled by running means of the gradient and of its square."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import require_kin_of_adam, require_one_form, scalar
from rushlight.optim.parts import (
    count_step,
    descend,
    largest_moments,
    square_root,
    started,
    with_either_decay,
    writes_with_either_decay,
)
from rushlight.optim.stepping import Array, State
from rushlight.optim.twins import twin


class Adam(Optimizer):
    """Adam as in algorithm 1 of the paper: epsilon is added after the bias correction.

    >>> optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    >>> optimizer.step()
    """

    younger_options = {  # noqa: RUF012
        "amsgrad": False,
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "fused": None,
    }
    counted = ("step",)
    read_first = ("betas",)
    read_last = ("amsgrad", "lr", "weight_decay", "eps", "maximize")

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
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
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        require_kin_of_adam(lr, betas, eps, weight_decay)
        check_betas(betas, foreach and not capturable)
        options: dict[str, Any] = {"lr": lr, "betas": (scalar(betas[0]), scalar(betas[1])), "eps": eps}
        options |= {
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
        }
        options |= {"capturable": capturable, "differentiable": differentiable, "fused": fused}
        options |= {"decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, options, clip_norm, clip_value)
        require_one_form(fused, foreach, differentiable)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        names = ["exp_avg", "exp_avg_sq", "max_exp_avg_sq"]
        return started(array, group, *names[: 3 if group["amsgrad"] else 2])

    def writes_for(self, group: dict[str, Any]) -> int:
        return writes_with_either_decay(group)

    @twin
    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        beta1, beta2 = group["betas"]
        count = count_step(state)
        mean, square = largest_moments(state, with_either_decay(array, grad, group), group)
        # sqrt(v / c) + eps is (sqrt(v) + eps sqrt(c)) / sqrt(c): one pass over the array less
        correction = (1 - beta2**count) ** 0.5
        root = square_root(square)
        root += group["eps"] * correction
        descend(array, group["lr"] * correction / (1 - beta1**count), mean, root)


def check_betas(betas: tuple, plain: bool | None) -> None:
    """Both numbers or both tensors, these only where torch's multi-tensor form takes them."""
    if not (all(isinstance(each, float) for each in betas) or all(isinstance(each, Tensor) for each in betas)):
        raise ValueError("betas must be either both floats or both Tensors")
    if plain and isinstance(betas[0], Tensor):
        raise ValueError("betas[0] as a Tensor is not supported for capturable=False and foreach=True")


__all__ = ["Adam"]
