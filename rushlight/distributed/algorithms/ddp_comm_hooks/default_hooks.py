"""Hooks that average a bucket as it is, or in half precision, which halves the bytes sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.core.object.tensor import Tensor
from rushlight.distributed.collectives import all_reduce
from rushlight.distributed.process_group import default_group
from rushlight.futures import Future

__all__ = [
    "allreduce_hook",
    "bf16_compress_hook",
    "bf16_compress_wrapper",
    "fp16_compress_hook",
    "fp16_compress_wrapper",
]


def averaged(process_group: Any, tensor: Tensor) -> Future:
    """The future of a tensor's average over the group, in its own memory."""
    group = process_group if process_group is not None else default_group()
    tensor.div_(group.size())
    work = all_reduce(tensor, group=group, async_op=True)
    assert work is not None
    return work.get_future().then(lambda done: done.value()[0])


def allreduce_hook(process_group: Any, bucket: Any) -> Future:
    """What happens without a hook."""
    return averaged(process_group, bucket.buffer())


def compressed(kind: Any, process_group: Any, bucket: Any) -> Future:
    held = bucket.buffer()
    return averaged(process_group, held.to(kind)).then(lambda done: held.copy_(done.value()))


def fp16_compress_hook(process_group: Any, bucket: Any) -> Future:
    """The average of the gradients, sent as float16."""
    return compressed(torch.float16, process_group, bucket)


def bf16_compress_hook(process_group: Any, bucket: Any) -> Future:
    """The average of the gradients, sent as bfloat16."""
    return compressed(torch.bfloat16, process_group, bucket)


def wrapper(kind: Any, hook: Callable) -> Callable:
    def wrapped(state: Any, bucket: Any) -> Future:
        held = bucket.buffer()
        bucket.set_buffer(held.to(kind))

        def restore(done: Future) -> Tensor:
            found = done.value()
            return held.copy_(found[0] if isinstance(found, (list, tuple)) else found)

        return hook(state, bucket).then(restore)

    return wrapped


def fp16_compress_wrapper(hook: Callable) -> Callable:
    """A hook that sees the bucket as float16."""
    return wrapper(torch.float16, hook)


def bf16_compress_wrapper(hook: Callable) -> Callable:
    """A hook that sees the bucket as bfloat16."""
    return wrapper(torch.bfloat16, hook)
