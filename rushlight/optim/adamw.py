"""AdamW: Adam with weight decay applied to the weights, not to the gradient."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.optim.adam import Adam
from rushlight.optim.optimizer import ParamsT


class AdamW(Adam):
    """Adam whose weight decay does not pass through the running means."""

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        super().__init__(
            params,
            lr,
            betas,
            eps,
            weight_decay,
            amsgrad,
            foreach=foreach,
            maximize=maximize,
            capturable=capturable,
            differentiable=differentiable,
            fused=fused,
            decoupled_weight_decay=True,
            clip_norm=clip_norm,
            clip_value=clip_value,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        # also after Adam's state was loaded
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


__all__ = ["AdamW"]
