"""Join: processes with different numbers of inputs; those that are done stand in for themselves until all are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, NamedTuple, Self

import rushlight as torch
from rushlight.distributed.collectives import all_reduce
from rushlight.distributed.work import Work

__all__ = ["Join", "JoinHook", "Joinable"]


class JoinHook:
    """What something does in a process that has run out of inputs."""

    def main_hook(self) -> None:
        """Stand in for one iteration: take part in every collective that the others call."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """What is left to do when all processes are done."""


class JoinConfig(NamedTuple):
    """How a joinable is used inside of a `Join`."""

    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool


class Joinable(ABC):
    """Something with collectives in each iteration that has a hook for processes without inputs."""

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config: JoinConfig | None = None

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The hook; `kwargs` are those of `Join`."""

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """The device of its collectives."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The group of its collectives."""


class Join:
    """A context for training with uneven inputs: `with Join([model]): ...`"""

    def __init__(
        self, joinables: list[Any], enable: bool = True, throw_on_early_termination: bool = False, **kwargs: Any
    ):
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        groups = {id(each.join_process_group): each.join_process_group for each in joinables}
        if len(groups) > 1:
            raise ValueError("Using join context manager with multiple process groups")
        self._joinables = joinables
        self._hooks = [each.join_hook(**kwargs) for each in joinables]
        self._enable = enable
        self._throw = throw_on_early_termination
        self._group = joinables[0].join_process_group
        for number, each in enumerate(joinables):
            each._join_config = JoinConfig(enable, throw_on_early_termination, number == 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._enable and kind is None:
                self._stand_in()
        finally:
            for each in self._joinables:
                each._join_config = None

    def _stand_in(self) -> None:
        is_last = True
        while self._count_active():
            is_last = False
            for hook in self._hooks:
                hook.main_hook()
        for hook in self._hooks:
            hook.post_hook(is_last)

    def _count_active(self) -> int:
        count = torch.zeros(1, dtype=torch.int64)
        all_reduce(count, group=self._group)
        if count.item() and self._throw:
            self._give_notice()
        return int(count.item())

    def _give_notice(self) -> None:
        flag = torch.ones(1, dtype=torch.int64)
        all_reduce(flag, group=self._group)
        raise RuntimeError(
            f"Rank {self._group.rank()} exhausted all inputs, and others have not: throw_on_early_termination is set"
        )

    @staticmethod
    def notify_join_context(joinable: Any) -> Work | None:
        """Tell those without inputs that this process begins an iteration; call it first in each of them."""
        config = getattr(joinable, "_join_config", None)
        if config is None or not config.enable or not config.is_first_joinable:
            return None
        group = joinable.join_process_group
        work = all_reduce(torch.ones(1, dtype=torch.int64), group=group, async_op=True)
        if config.throw_on_early_termination:
            assert work is not None
            work.wait()
            if int(work.result()[0].item()) < group.size():
                flag = torch.zeros(1, dtype=torch.int64)
                all_reduce(flag, group=group)
                raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
        return work
