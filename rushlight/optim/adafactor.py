"""Adafactor: the squares of a matrix of gradients remembered as a row and a column."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import require, require_one_element
from rushlight.optim.parts import count_step, require_dtype, started
from rushlight.optim.stepping import Array, State


class Adafactor(Optimizer):
    """Steps relative to the size of a parameter, with memory for n + m numbers of an n by m matrix.

    >>> optimizer = torch.optim.Adafactor(model.parameters(), lr=1e-2)
    >>> optimizer.step()
    """

    elementwise = False
    younger_options = {"foreach": None}  # noqa: RUF012
    counted = ("step",)
    read_first = ("eps",)
    pairs = ("eps",)
    read_last = ("d", "lr", "beta2_decay", "weight_decay", "foreach", "maximize")

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_one_element(lr)
        require(lr >= 0.0, "Learning rate should be >= 0 but is: {}", lr)
        require(beta2_decay <= 0.0, "beta2_decay should be <= 0 but is: {}", beta2_decay)
        require(eps[0] is None or eps[0] >= 0.0, "epsilon1 should be >= 0 but is: {}", eps[0])
        require(eps[1] >= 0.0, "epsilon2 should be >= 0 but is: {}", eps[1])
        require(d >= 1.0, "Clipping threshold d should be >= 1 but is: {}", d)
        require(weight_decay >= 0.0, "weight_decay should be >= 0 but is: {}", weight_decay)
        options: dict[str, Any] = {"lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d}
        options |= {"weight_decay": weight_decay, "foreach": foreach, "maximize": maximize}
        super().__init__(params, options, clip_norm, clip_value)

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        if array.dtype.kind == "c":
            raise RuntimeError("Adafactor does not support complex parameters: Adam does")
        if array.ndim < 2:
            return started(array, group, "variance")
        # by rows, whatever the layout of the parameter
        *batch, height, width = array.shape
        rows, columns = [np.zeros((*batch, *shape), array.dtype) for shape in ((height, 1), (1, width))]
        return started(array, group) | {"row_var": rows, "col_var": columns}

    def writes_for(self, group: dict[str, Any]) -> int:
        return 2 if group["weight_decay"] else 1

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        lr = group["lr"]
        smallest, least = group["eps"]
        if smallest is None:
            smallest = float(np.finfo(array.dtype).eps) if array.dtype.kind == "f" else 2.0**-7
        count = count_step(state)
        rate = max(least, root_mean_square(array)) * min(lr, count**-0.5)
        if group["weight_decay"]:
            array *= 1 - lr * group["weight_decay"]
        square = mean_squares(grad, state, count ** group["beta2_decay"], smallest)
        update = grad / np.sqrt(np.maximum(square, smallest * smallest))
        array -= rate / max(1.0, root_mean_square(update) / group["d"]) * update


def mean_squares(grad: np.ndarray, state: State, share: float, smallest: float) -> np.ndarray:
    """The running mean of squared gradients, to which `share` of this one is added; a product where it is factored."""
    squares = grad * grad
    if grad.ndim < 2:
        variance = state["variance"]
        require_dtype(variance, squares)
        variance += share * (squares - variance)
        return variance
    rows, columns = state["row_var"], state["col_var"]
    require_dtype(rows, squares)
    rows += share * (squares.mean(-1, keepdims=True) - rows)
    columns += share * (squares.mean(-2, keepdims=True) - columns)
    return rows * columns / np.maximum(rows.mean(-2, keepdims=True), smallest)


def root_mean_square(array: np.ndarray) -> float:
    flat = array.reshape(-1)
    return float(np.sqrt(flat.dot(flat))) / array.size**0.5


__all__ = ["Adafactor"]
