"""AdamTF: Adam as TensorFlow takes its steps."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.optim.adam import Adam
from rushlight.optim.optimizer import ParamsT
from rushlight.optim.parts import count_step, descend, largest_moments, square_root, with_either_decay
from rushlight.optim.stepping import Array, State


class AdamTF(Adam):
    """Adam as reformulated at the end of section 2 of its paper: epsilon is added before the bias correction.

    The root of the second moment is not corrected before `eps` is added to it; both corrections are in the step
    size. In early steps, while the correction is small, that makes the same epsilon weigh more than in `Adam`: by
    the factor 30 in the first one. The default of `eps` is that of Keras.

    >>> optimizer = torch.optim.AdamTF(model.parameters(), lr=1e-3)
    >>> optimizer.step()
    """

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-7,
        weight_decay: float = 0,
        amsgrad: bool = False,
        **options: Any,
    ):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **options)

    def step_for(self, array: Array, grad: Array, state: State, group: dict[str, Any], first: bool) -> None:
        beta1, beta2 = group["betas"]
        count = count_step(state)
        mean, square = largest_moments(state, with_either_decay(array, grad, group), group)
        root = square_root(square)
        root += group["eps"]
        descend(array, group["lr"] * (1 - beta2**count) ** 0.5 / (1 - beta1**count), mean, root)


__all__ = ["AdamTF"]
