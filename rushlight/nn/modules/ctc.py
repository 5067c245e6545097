"""Losses that are seldom used: connectionist temporal classification, and an older name."""

from __future__ import annotations

from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.nn import functional as F
from rushlight.nn.modules.loss import NLLLoss, _Loss

__all__ = ["CTCLoss", "NLLLoss2d"]


class CTCLoss(_Loss):
    """How unlikely texts are under log-probabilities `(T, N, C)` of letters, however they are spaced."""

    __constants__ = ["blank", "reduction"]  # noqa: RUF012  (a list, as torch has it)

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor) -> Tensor:
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


class NLLLoss2d(NLLLoss):
    """The older name of `NLLLoss`."""

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        warn("`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead, which does the same.", FutureWarning)
        super().__init__(weight, size_average, ignore_index, reduce, reduction)
