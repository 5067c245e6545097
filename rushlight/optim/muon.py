"""Muon: momentum of matrices, made orthogonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.errors.steps import name_of
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import require, require_one_element
from rushlight.optim.parts import average, require_dtype, zeros_as
from rushlight.optim.stepping import Array, State


class Muon(Optimizer):
    """Moves a matrix by the orthogonal matrix nearest to its momentum; other parameters need another optimizer.

    >>> optimizer = torch.optim.Muon([layer.weight], lr=1e-3)
    >>> optimizer.step()
    """

    elementwise = False
    read_first = ("lr", "weight_decay", "momentum")
    read_last = ("nesterov", "ns_coefficients", "eps", "ns_steps", "adjust_lr_fn")
    begins_late = "momentum_buffer"

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
        *,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_one_element(lr)
        require(lr >= 0.0, "Learning rate should be >= 0 but is: {}", lr)
        require(momentum >= 0.0, "momentum should be >= 0 but is: {}", momentum)
        require(weight_decay >= 0.0, "weight decay should be >= 0 but is: {}", weight_decay)
        known = adjust_lr_fn in (None, "original", "match_rms_adamw")
        require(known, "Adjust learning rate function {} is not supported", adjust_lr_fn)
        options: dict[str, Any] = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum}
        options |= {"nesterov": nesterov, "ns_coefficients": ns_coefficients, "eps": eps}
        super().__init__(params, options | {"ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn}, clip_norm, clip_value)
        for group in self.param_groups:
            for place, param in enumerate(group["params"]):
                if param.ndim != 2:
                    raise ValueError(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{param.size()}: give parameter {name_of(group, place)} to another optimizer"
                    )

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        if array.dtype.kind == "c":
            raise RuntimeError("Muon does not support complex parameters")
        return {"momentum_buffer": zeros_as(array)}

    def writes_for(self, group: dict[str, Any]) -> int:
        return 2  # the decay is a write of its own, even by nothing

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        lr, momentum = group["lr"], group["momentum"]
        if grad.ndim != 2:
            raise ValueError(
                f"Param gradient must be a 2D matrix, and one that was added later has {grad.ndim} dimensions: "
                "give it to another optimizer"
            )
        require_dtype(state["momentum_buffer"], grad)
        mean = average(state["momentum_buffer"], grad, 1 - momentum)
        update = grad + momentum * (mean - grad) if group["nesterov"] else mean
        update = orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rate = lr * adjustment(group["adjust_lr_fn"], *array.shape)
        array *= 1 - lr * group["weight_decay"]
        array -= rate * update.astype(array.dtype)


def adjustment(kind: str | None, rows: int, columns: int) -> float:
    """The factor of the learning rate: for steps of one size whatever the shape, or for steps as large as AdamW's."""
    return 0.2 * max(rows, columns) ** 0.5 if kind == "match_rms_adamw" else max(1, rows / columns) ** 0.5


def orthogonal(matrix: np.ndarray, coefficients: tuple[float, float, float], steps: int, eps: float) -> np.ndarray:
    """Nearly the orthogonal factor of a matrix, by Newton and Schulz's iteration; as in torch, rounded to bfloat16."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    x = rounded(matrix.T if tall else matrix)
    x = rounded(x / max(rounded(np.sqrt(np.vdot(x, x))), np.float32(eps)))
    for _ in range(steps):
        gram = rounded(x @ x.T)
        x = rounded(a * x + rounded(b * gram + c * (gram @ gram)) @ x)
    return x.T if tall else x


def rounded(x: Any) -> np.ndarray:
    """Float32 with the bits that bfloat16 has, to the nearest and of two such to the even one."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(np.float32)


__all__ = ["Muon"]
