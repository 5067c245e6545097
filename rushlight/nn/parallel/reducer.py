"""The reducer: averages gradients over processes, bucket by bucket, while backward still computes others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.object.tensor import Tensor, wrap
from rushlight.nn.parallel.buckets import Bucket, GradBucket, assign, same_memory

if TYPE_CHECKING:
    from rushlight.distributed.process_group import ProcessGroup

MEGABYTE = 1024 * 1024
# so that the first reduction begins early
FIRST_BUCKET = MEGABYTE


class Reducer:
    """Takes each gradient when it is whole; a bucket that is full is reduced, in the order in which buckets stand."""

    def __init__(
        self,
        names: dict[int, str],
        parameters: Sequence[Tensor],
        group: ProcessGroup,
        bucket_bytes: int,
        as_views: bool,
        finds_unused: bool,
        is_static: bool,
    ):
        self.names = names
        self.parameters = list(parameters)
        self.group = group
        self.bucket_bytes = bucket_bytes
        self.as_views = as_views
        self.finds_unused = finds_unused
        self.is_static = is_static
        self.hook: tuple[Any, Callable] | None = None
        # how many the sum is divided by: fewer when some have run out of inputs
        self.divisor = group.size()
        # the order in which gradients came the first time; None when buckets follow it already
        self.came: list[int] | None = []
        self.unused: set[int] | None = None
        self.active = False
        self.arrived: set[int] = set()
        # backward reaches the last layers first
        self.lay_out(list(reversed(self.parameters)))
        self.handles = [each.register_post_accumulate_grad_hook(self.take) for each in self.parameters]

    def lay_out(self, order: list[Tensor]) -> None:
        """Cut the parameters into buckets in this order."""
        self.buckets = [
            Bucket(index, each) for index, each in enumerate(assign(order, FIRST_BUCKET, self.bucket_bytes))
        ]
        self.owner = {id(parameter): bucket for bucket in self.buckets for parameter in bucket.parameters}
        self.next = 0

    def begin(self, outputs: Iterable[Tensor]) -> None:
        """Get ready for the backward that follows a forward with these outputs."""
        if self.arrived and self.active:
            raise RuntimeError(self.unfinished())
        self.follow_order()
        self.arrived.clear()
        self.active = True
        self.next = 0
        for bucket in self.buckets:
            bucket.reset()
        if not (self.finds_unused or self.is_static):
            return
        if self.unused is None or not self.is_static:
            used = reachable(outputs)
            self.unused = {id(each) for each in self.parameters} - used
        for each in self.parameters:
            if id(each) in self.unused:
                self.arrived.add(id(each))
                self.owner[id(each)].put_zeros(each)
        self.launch()

    def take(self, parameter: Tensor) -> None:
        """A parameter's gradient is whole: the hook that autograd calls."""
        if not self.active:
            return
        if id(parameter) in self.arrived:
            raise RuntimeError(self.marked_twice(parameter))
        self.arrived.add(id(parameter))
        if self.came is not None:
            self.came.append(id(parameter))
        bucket = self.owner[id(parameter)]
        bucket.put(parameter, 1.0 if self.hook is not None else 1.0 / self.divisor)
        if bucket.missing == 0:
            self.launch()
        # asking lets MPI go on with what is under way
        for each in self.buckets[: self.next]:
            if each.underway is not None and each.missing == 0:
                each.underway.done() if self.hook is not None else each.underway.is_completed()
        if self.next == len(self.buckets):
            self.finish()

    def launch(self) -> None:
        """Begin to reduce the buckets that are full, none before those in front of it: all processes do the same."""
        while self.next < len(self.buckets) and self.buckets[self.next].missing == 0:
            bucket = self.buckets[self.next]
            self.next += 1
            bucket.underway = self.reduction(bucket)

    def reduction(self, bucket: Bucket) -> Any:
        from rushlight.distributed.collectives import all_reduce

        if self.hook is None:
            return all_reduce(wrap(bucket.memory), group=self.group, async_op=True)
        state, hook = self.hook
        return hook(state, GradBucket(bucket, len(self.buckets)))

    def finish(self) -> None:
        """Wait for all buckets, and give each parameter its part."""
        used = self.used_by_all()
        for bucket in self.buckets:
            found = bucket.underway.wait()
            if self.hook is not None:
                result = found[0] if isinstance(found, (list, tuple)) else found
                if result._array is not bucket.memory:
                    bucket.memory[...] = result._array.reshape(-1)
            for parameter in bucket.parameters:
                if used is None or used[id(parameter)]:
                    self.give(parameter, bucket.view(parameter))
        self.active = False
        self.arrived.clear()

    def give(self, parameter: Tensor, view: np.ndarray) -> None:
        """Let a parameter's gradient be the average: its own memory, or that of the bucket."""
        grad = parameter.grad
        if self.as_views:
            if grad is None or not same_memory(grad._array, view):
                parameter.grad = wrap(view)
        elif grad is None:
            parameter.grad = wrap(view.copy())
        elif not same_memory(grad._array, view):
            grad._array[...] = view

    def used_by_all(self) -> dict[int, bool] | None:
        """Which parameters some process has used; the gradients of the others stay as they are."""
        if not (self.finds_unused or self.is_static):
            return None
        from rushlight.distributed.collectives import all_reduce

        unused = self.unused or set()
        marks = np.array([id(each) not in unused for each in self.parameters], np.int32)
        all_reduce(wrap(marks), group=self.group)
        return {id(each): bool(mark) for each, mark in zip(self.parameters, marks, strict=True)}

    def follow_order(self) -> None:
        """After the first time, put the buckets into the order in which gradients came to the first process."""
        if self.came is None or len(self.came) < len(self.parameters) or self.finds_unused:
            return
        from rushlight.distributed.collectives import broadcast

        numbers = {id(each): number for number, each in enumerate(self.parameters)}
        order = np.array([numbers[each] for each in self.came], np.int64)
        broadcast(wrap(order), group_src=0, group=self.group)
        self.came = None
        self.lay_out([self.parameters[number] for number in order])

    def shadow(self) -> None:
        """Do what the others' backward does, with nothing to give: this process has run out of inputs."""
        self.follow_order()
        for bucket in self.buckets:
            bucket.reset()
            for each in bucket.parameters:
                bucket.put_zeros(each)
            bucket.underway = self.reduction(bucket)
        if self.finds_unused or self.is_static:
            self.unused = {id(each) for each in self.parameters}
            self.used_by_all()
        for bucket in self.buckets:
            bucket.underway.wait()

    def unfinished(self) -> str:
        lost = [self.names[id(each)] for each in self.parameters if id(each) not in self.arrived]
        return (
            "Expected to have finished reduction in the prior iteration before starting a new one. This error "
            "indicates that your module has parameters that were not used in producing loss: "
            f"{', '.join(lost[:10])}{' ...' if len(lost) > 10 else ''}.\n"
            "  fix: pass find_unused_parameters=True to torch.nn.parallel.DistributedDataParallel, let forward return "
            "all outputs that the loss is made of, or take the parameters out"
        )

    def marked_twice(self, parameter: Tensor) -> str:
        return (
            "Expected to mark a variable ready only once. This error is caused by parameter "
            f"{self.names[id(parameter)]}, whose gradient came twice after one forward: call backward once for each "
            "call of the DistributedDataParallel module, or use no_sync() for all but the last"
        )


def reachable(outputs: Iterable[Tensor]) -> set[int]:
    """The leaves, by identity, that the outputs were computed from."""
    nodes = [each.grad_fn for each in outputs if each.grad_fn is not None]
    found = {id(each) for each in outputs if each.grad_fn is None}
    seen: set[Any] = set()
    while nodes:
        node = nodes.pop()
        if node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found.add(id(leaf))
        nodes += [following for following, _ in node.next_functions if following is not None]
    return found
