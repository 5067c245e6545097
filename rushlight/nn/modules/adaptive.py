"""Adaptive softmax: many classes, of which the rare ones are grouped and get fewer features."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from rushlight.core.numbers.dtypes import dtype as Dtype
from rushlight.core.object.tensor import Tensor
from rushlight.nn.modules.container import ModuleList, Sequential
from rushlight.nn.modules.linear import Linear
from rushlight.nn.modules.module import Module
from rushlight.ops.shape.joining import cat

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of many classes, sorted by frequency, and the mean of the negated ones of the targets.

    `cutoffs` are the first classes of the groups: `[10, 100]` makes a head of 10 classes and two groups.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Dtype | None = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if cutoffs != sorted({int(each) for each in cutoffs}) or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail = ModuleList()
        for place, (start, end) in enumerate(itertools.pairwise(self.cutoffs)):
            inner = int(in_features // div_value ** (place + 1))
            first = Linear(in_features, inner, False, device, dtype)
            self.tail.append(Sequential(first, Linear(inner, end - start, False, device, dtype)))

    def reset_parameters(self) -> None:
        """Draw the weights anew."""
        for layer in (self.head, *[each for pair in self.tail for each in pair]):  # type: ignore[attr-defined]
            layer.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        check_sizes(input_, target_)
        single = target_.ndim == 0
        input, target = (input_.unsqueeze(0), target_.unsqueeze(0)) if single else (input_, target_)
        low, high = target.min().item(), target.max().item()
        if low < 0 or high >= self.n_classes:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{low}, {high}] were found."
            )
        # a rare class is, in the head, its group; its place in the group comes on top
        chosen, output = target.clone(), input.new_zeros(len(target))
        for place, (start, end) in enumerate(itertools.pairwise(self.cutoffs)):
            rows = ((target >= start) & (target < end)).nonzero().squeeze(1)
            if rows.numel():
                chosen[rows] = self.shortlist_size + place
                found = self.tail[place](input.index_select(0, rows)).log_softmax(1)
                inside = (target[rows] - start).unsqueeze(1)
                output = output.index_add(0, rows, found.gather(1, inside).squeeze(1))
        output = output + self.head(input).log_softmax(1).gather(1, chosen.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output.squeeze(0) if single else output, loss)

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        head = head_output.log_softmax(1)
        parts = [head[:, : self.shortlist_size]]
        for place, layers in enumerate(self.tail):
            group = head[:, self.shortlist_size + place].unsqueeze(1)
            parts.append(layers(input).log_softmax(1) + group)
        return cat(parts, 1)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes: `(N, n_classes)`."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class of each row."""
        head = self.head(input)
        found = head.argmax(1)
        rare = found >= self.shortlist_size
        if rare.any():
            found[rare] = self._get_full_log_prob(input[rare], head[rare]).argmax(1)
        return found


def check_sizes(input: Tensor, target: Tensor) -> None:
    if target.ndim == 1:
        if input.shape[0] != target.shape[0]:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input.ndim != 2:
            raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with size {input.shape}")
    elif target.ndim == 0:
        if input.ndim != 1:
            raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input.shape}")
    else:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
