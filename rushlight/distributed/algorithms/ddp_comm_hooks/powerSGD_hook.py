"""PowerSGD: gradients of matrices travel as two thin factors, found by power iteration (Vogels et al., 2019)."""

from __future__ import annotations

import math
from typing import Any

import rushlight as torch
from rushlight.core.object.tensor import Tensor
from rushlight.distributed.algorithms.ddp_comm_hooks.default_hooks import averaged
from rushlight.distributed.process_group import default_group
from rushlight.futures import Future

__all__ = ["PowerSGDState", "batched_powerSGD_hook", "powerSGD_hook"]


class PowerSGDState:
    """The options of the method, and what it remembers: factors and errors of each bucket."""

    def __init__(
        self,
        process_group: Any,
        matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1000,
        min_compression_rate: float = 2,
        use_error_feedback: bool = True,
        warm_start: bool = True,
        orthogonalization_epsilon: float = 0,
        random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ):
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because PowerSGD "
                "can only be applied after the first two iterations in DDP."
            )
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback = use_error_feedback
        self.warm_start = warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.generator = torch.Generator()
        self.generator.manual_seed(random_seed)
        self.error_dict: dict[int, Tensor] = {}
        self.q_memory: dict[tuple[int, int], Tensor] = {}
        self.iter = 0

    def factor(self, place: tuple[int, int], rows: int, rank: int, like: Tensor) -> Tensor:
        """The second factor of the last time, or a random one, the same in all processes."""
        if self.warm_start and place in self.q_memory:
            return self.q_memory[place]
        return torch.randn(rows, rank, generator=self.generator, dtype=like.dtype)


def powerSGD_hook(state: PowerSGDState, bucket: Any) -> Future:
    """The average of the gradients, those of large matrices by factors of a low rank."""
    group = state.process_group if state.process_group is not None else default_group()
    if state.iter < state.start_powerSGD_iter:
        state.iter += bucket.is_last()
        return averaged(group, bucket.buffer())
    buffer = bucket.buffer()
    before = None
    if state.use_error_feedback:
        buffer.add_(state.error_dict.setdefault(bucket.index(), torch.zeros_like(buffer)))
        before = buffer.clone()
    whole, matrices = [], []
    for number, tensor in enumerate(bucket.gradients()):
        matrix = tensor.view(tensor.shape[0], -1) if tensor.ndim > 1 else None
        if matrix is not None and pays_off(state, *matrix.shape):
            matrices.append((number, matrix))
        else:
            whole.append(tensor)
    average_together(whole, group)
    approximate(state, bucket.index(), matrices, group)
    if before is not None:
        state.error_dict[bucket.index()] = before - buffer
    state.iter += bucket.is_last()
    done: Future = Future()
    done.set_result(buffer)
    return done


def pays_off(state: PowerSGDState, rows: int, columns: int) -> bool:
    rank = min(rows, columns, state.matrix_approximation_rank)
    return (rows + columns) * rank * state.min_compression_rate < rows * columns


def average_together(tensors: list[Tensor], group: Any) -> None:
    """Average several tensors with one message."""
    if not tensors:
        return
    flat = torch.cat([each.reshape(-1) for each in tensors])
    averaged(group, flat).wait()
    for each, part in zip(tensors, torch.split(flat, [each.numel() for each in tensors]), strict=True):
        each.copy_(part.view(each.shape))


def approximate(state: PowerSGDState, index: int, matrices: list[tuple[int, Tensor]], group: Any) -> None:
    """Replace each matrix by the product of averaged factors."""
    seconds = []
    for number, matrix in matrices:
        rank = min(*matrix.shape, state.matrix_approximation_rank)
        seconds.append(orthogonal(state.factor((index, number), matrix.shape[1], rank, matrix)))
    firsts = [matrix @ second for (_, matrix), second in zip(matrices, seconds, strict=True)]
    average_together(firsts, group)
    firsts = [orthogonal(first, state.orthogonalization_epsilon) for first in firsts]
    seconds = [matrix.t() @ first for (_, matrix), first in zip(matrices, firsts, strict=True)]
    average_together(seconds, group)
    for (number, matrix), first, second in zip(matrices, firsts, seconds, strict=True):
        state.q_memory[index, number] = second
        matrix.copy_(first @ second.t())


def orthogonal(matrix: Tensor, epsilon: float = 0) -> Tensor:
    """The matrix with columns of length one at right angles."""
    if not epsilon:
        return torch.linalg.qr(matrix)[0]
    columns: list[Tensor] = []
    for number in range(matrix.shape[1]):
        column = matrix[:, number]
        for other in columns:
            column = column - (other @ column) * other
        columns.append(column / (column.norm() + epsilon))
    return torch.stack(columns, 1)


def batched_powerSGD_hook(state: PowerSGDState, bucket: Any) -> Future:
    """The whole bucket as one square matrix, by factors of a low rank: fewer steps, a coarser average."""
    group = state.process_group if state.process_group is not None else default_group()
    if state.iter < state.start_powerSGD_iter:
        state.iter += bucket.is_last()
        return averaged(group, bucket.buffer())
    buffer = bucket.buffer()
    if state.use_error_feedback:
        buffer.add_(state.error_dict.setdefault(bucket.index(), torch.zeros_like(buffer)))
    before = buffer.clone()
    side = math.ceil(math.sqrt(buffer.numel()))
    square = torch.zeros(side * side, dtype=buffer.dtype)
    square[: buffer.numel()] = buffer
    matrix = square.view(side, side)
    approximate(state, bucket.index(), [(0, matrix)], group)
    buffer.copy_(square[: buffer.numel()])
    state.error_dict[bucket.index()] = before - buffer
    state.iter += bucket.is_last()
    done: Future = Future()
    done.set_result(buffer)
    return done
