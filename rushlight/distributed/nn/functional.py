"""Collectives that gradients flow through: what a process makes of another's tensor reaches its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import rushlight as torch
from rushlight.autograd.function import Function
from rushlight.core.object.tensor import Tensor
from rushlight.distributed import collectives
from rushlight.distributed.process_group import get_rank, get_world_size
from rushlight.distributed.words import ReduceOp

__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """The tensor of process `src`; its gradient there is the sum of all."""
    return Broadcast.apply(src, group, tensor)


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """The tensors of all processes, at process `dst`; zeros elsewhere."""
    return Gather.apply(dst, group, tensor)


def scatter(tensors: Sequence[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """The tensor of process `src` that is meant for this one."""
    return Scatter.apply(src, group, *tensors)


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """What `op` makes of all tensors, at process `dst`; elsewhere the tensor itself."""
    return Reduce.apply(dst, op, group, tensor)


def reduce_scatter(output: Tensor, input_list: Sequence[Tensor], op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Of the reduced lists the tensor with the number of this process."""
    return ReduceScatter.apply(op, group, output, *input_list)


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """The tensors of all processes."""
    return AllGather.apply(group, tensor)


def all_to_all(
    output_tensor_list: Sequence[Tensor], input_tensor_list: Sequence[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """One tensor from each process, for one to each."""
    return AllToAll.apply(group, list(output_tensor_list), *input_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: Any = None,
) -> Tensor:
    """A part from each process, for a part to each."""
    return AllToAllSingle.apply(group, output, output_split_sizes, input_split_sizes, input)


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """What `op` makes of the tensors of all processes."""
    return AllReduce.apply(op, group, tensor)


class Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, tensor: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        result = tensor.detach().clone()
        collectives.broadcast(result, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        total = reduce(grad.contiguous(), ctx.src, ReduceOp.SUM, ctx.group)
        return None, None, total if get_rank() == ctx.src else torch.zeros_like(total)


class Gather(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, group: Any, tensor: Tensor) -> Any:
        ctx.dst, ctx.group = dst, group
        result = [torch.zeros_like(tensor) for _ in range(get_world_size(group))]
        collectives.gather(tensor.detach(), result if get_rank() == dst else None, dst, group)
        return tuple(result)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return None, None, scatter([grad.contiguous() for grad in grads], ctx.dst, ctx.group)


class Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, *tensors: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        result = torch.zeros_like(tensors[0])
        collectives.scatter(result, [each.detach() for each in tensors] if get_rank() == src else None, src, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, *gather(grad.contiguous(), ctx.src, ctx.group)


class Reduce(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, op: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.dst, ctx.group = dst, group
        result = tensor.detach().clone()
        collectives.reduce(result, dst, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, None, broadcast(grad.contiguous(), ctx.dst, ctx.group)


class ReduceScatter(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, output: Tensor, *tensors: Tensor) -> Tensor:
        ctx.group = group
        result = torch.empty_like(output)
        collectives.reduce_scatter(result, [each.detach() for each in tensors], op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, None, *all_gather(grad.contiguous(), ctx.group)


class AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, tensor: Tensor) -> Any:
        ctx.group = group
        result = [torch.empty_like(tensor) for _ in range(get_world_size(group))]
        collectives.all_gather(result, tensor.detach(), group)
        return tuple(result)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        own = [grad.contiguous() for grad in grads]
        return None, reduce_scatter(own[0], own, ReduceOp.SUM, ctx.group)


class AllToAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, outputs: list[Tensor], *tensors: Tensor) -> Any:
        ctx.group, ctx.shapes = group, [each.shape for each in tensors]
        result = [torch.empty_like(each) for each in outputs]
        collectives.all_to_all(result, [each.detach() for each in tensors], group)
        return tuple(result)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        into = [torch.empty(shape, dtype=grads[0].dtype) for shape in ctx.shapes]
        return None, None, *all_to_all(into, [grad.contiguous() for grad in grads], ctx.group)


class AllToAllSingle(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, output: Tensor, gets: Any, gives: Any, tensor: Tensor) -> Tensor:
        ctx.group, ctx.gets, ctx.gives, ctx.shape = group, gets, gives, tensor.shape
        result = torch.empty_like(output)
        collectives.all_to_all_single(result, tensor.detach(), gets, gives, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        into = torch.empty(ctx.shape, dtype=grad.dtype)
        return None, None, None, None, all_to_all_single(into, grad.contiguous(), ctx.gives, ctx.gets, ctx.group)


class AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.op, ctx.group = op, group
        result = tensor.detach().clone()
        collectives.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return None, None, all_reduce(grad.contiguous(), ctx.op, ctx.group)
