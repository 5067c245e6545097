"""SparseAdam: Adam for gradients of which a batch fills only some rows, as of embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import require, require_betas, require_rate
from rushlight.optim.parts import count_step, started
from rushlight.optim.stepping import Array, State


class SparseAdam(Optimizer):
    """Adam that leaves alone, with their moments, the rows whose gradient is zero.

    There are no sparse tensors in Rushlight: the rows are found in a dense gradient, which PyTorch refuses. The first
    step says so.

    >>> optimizer = torch.optim.SparseAdam(embedding.parameters(), lr=1e-3)
    >>> optimizer.step()
    """

    elementwise = False
    _told = False

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
        *,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_rate(lr)
        require(lr > 0.0, "Invalid learning rate: {}", lr)
        require(eps > 0.0, "Invalid epsilon value: {}", eps)
        require_betas(betas)
        options: dict[str, Any] = {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize}
        super().__init__(params, options, clip_norm, clip_value)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        super().add_param_group(param_group)
        params, number = self.param_groups[-1]["params"], len(self.param_groups) - 1
        places = [[number, place] for place, param in enumerate(params) if param.is_complex()]
        if places:
            self.param_groups.pop()
            raise ValueError(
                f"Complex params at indices {places}: SparseAdam does not support complex parameters, but Adam does"
            )

    def state_for(self, array: np.ndarray, group: dict[str, Any]) -> dict[str, np.ndarray]:
        return started(array, group, "exp_avg", "exp_avg_sq")

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        if not self._told:
            self._told = True
            warn(
                "SparseAdam was given a dense gradient: there are no sparse ones in Rushlight. It moves the rows whose "
                "gradient is not zero, as PyTorch does with the rows of a sparse gradient; Adam moves all"
            )
        beta1, beta2 = group["betas"]
        count = count_step(state)
        array, grad, means, squares = [
            each.reshape(each.shape or 1) for each in (array, grad, state["exp_avg"], state["exp_avg_sq"])
        ]
        rows = np.flatnonzero(grad.reshape(len(grad), -1).any(axis=1))
        grad, mean, square = grad[rows], means[rows], squares[rows]
        mean += (1 - beta1) * (grad - mean)
        square += (1 - beta2) * (grad * grad - square)
        rate = group["lr"] * (1 - beta2**count) ** 0.5 / (1 - beta1**count)
        array[rows] -= rate * mean / (np.sqrt(square) + group["eps"])
        means[rows], squares[rows] = mean, square

    def state_dict(self) -> dict[str, Any]:
        """As of other optimizers; steps are counted in an int, as in torch."""
        packed = super().state_dict()
        states = packed["state"]
        for number, state in states.items():
            if isinstance(state.get("step"), Tensor):
                states[number] = {**state, "step": int(state["step"].item())}
        return packed


__all__ = ["SparseAdam"]
