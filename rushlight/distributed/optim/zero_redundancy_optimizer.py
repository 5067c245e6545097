"""ZeroRedundancyOptimizer: each process keeps the optimizer's memory of some parameters, and moves only these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.autograd import modes
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.distributed.collectives import broadcast
from rushlight.distributed.objects import gather_object
from rushlight.distributed.process_group import given
from rushlight.optim.optimizer import Optimizer

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer):
    """An optimizer of any class, whose state is split over the processes of a group.

    Every process moves its share of the parameters and sends them to the others: the same steps as without it, with a
    share of the memory.
    """

    def __init__(
        self,
        params: Any,
        optimizer_class: type[Optimizer],
        process_group: Any = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ):
        if overlap_with_ddp:
            raise NotImplementedError(
                "ZeroRedundancyOptimizer in Rushlight has no overlap_with_ddp: call step() after backward"
            )
        self.process_group = given(process_group)
        self._optimizer_class = optimizer_class
        self._options = defaults
        self._join_config: Any = None
        super().__init__(params, defaults)
        self._collected: list[dict[str, Any]] | None = None
        self._split()

    def _split(self) -> None:
        """Give each parameter an owner, the largest first, to whoever has the least so far."""
        count = self.process_group.size()
        loads = [0] * count
        self._owner: dict[Tensor, int] = {}
        parameters = [each for group in self.param_groups for each in group["params"]]
        for each in sorted(parameters, key=lambda parameter: -parameter.numel()):
            owner = loads.index(min(loads))
            loads[owner] += each.numel()
            self._owner[each] = owner
        own = self.process_group.rank()
        groups = [
            {**group, "params": [each for each in group["params"] if self._owner[each] == own]}
            for group in self.param_groups
        ]
        # a method refuses an empty list, and a process may own nothing of a group
        self._places = [index for index, group in enumerate(groups) if group["params"]]
        owned = [groups[index] for index in self._places]
        self.optim = self._optimizer_class(owned, **self._options) if owned else None
        self._copy_options(forward=False)

    def _copy_options(self, forward: bool = True) -> None:
        """Carry learning rates and other options to the optimizer behind, or its defaults to the groups here."""
        if self.optim is None:
            return
        for index, inner in zip(self._places, self.optim.param_groups, strict=True):
            outer = self.param_groups[index]
            source, target = (outer, inner) if forward else (inner, outer)
            target.update({name: value for name, value in source.items() if name != "params"})

    def step(self, closure: Callable[[], float] | None = None, **kwargs: Any) -> Any:
        """Move this process's parameters, and send all of them to all."""
        loss = None
        if closure is not None:
            with modes.enable_grad():
                loss = closure()
        self._copy_options()
        if self.optim is not None:
            self.optim.step(**kwargs)
        self._share()
        return loss

    def _share(self) -> None:
        """Send each process's parameters to the others, one message for each owner and dtype."""
        for owner in range(self.process_group.size()):
            theirs = [each for each, number in self._owner.items() if number == owner]
            for kind in dict.fromkeys(each.dtype for each in theirs):
                same = [each for each in theirs if each.dtype is kind]
                flat = np.concatenate([each._array.reshape(-1) for each in same])
                broadcast(wrap(flat), group_src=owner, group=self.process_group)
                if owner != self.process_group.rank():
                    self._write(same, flat)

    def _write(self, parameters: list[Tensor], flat: np.ndarray) -> None:
        cuts = np.cumsum([each.numel() for each in parameters])[:-1]
        with modes.no_grad():
            for target, part in zip(parameters, np.split(flat, cuts), strict=True):
                target.copy_(wrap(part.reshape(target.shape)))

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Collect the state of all processes at one, where `state_dict()` then has the whole."""
        self._copy_options()
        own = self._own_state()
        collected: list[Any] = [None] * self.process_group.size()
        is_target = self.process_group.ranks[self.process_group.rank()] == to
        gather_object(own, collected if is_target else None, to, self.process_group)
        self._collected = collected if is_target else None

    def _own_state(self) -> dict[int, Any]:
        """The state of this process's parameters, by their number among all."""
        if self.optim is None:
            return {}
        numbers = {id(each): number for number, each in enumerate(self._all())}
        return {numbers[id(each)]: state for each, state in self.optim.state.items()}

    def _all(self) -> list[Tensor]:
        return [each for group in self.param_groups for each in group["params"]]

    def state_dict(self) -> dict[str, Any]:
        """The whole state, where `consolidate_state_dict` has collected it; it has to be called just before, by all."""
        if self._collected is None:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call `consolidate_state_dict(to="
                f"{self.process_group.ranks[self.process_group.rank()]})` on all ranks beforehand if you meant to save "
                "the global state."
            )
        state = {number: each for part in self._collected for number, each in part.items()}
        groups, first = [], 0
        for group in self.param_groups:
            places = list(range(first, first + len(group["params"])))
            first += len(places)
            groups.append({**{name: value for name, value in group.items() if name != "params"}, "params": places})
        return {"state": dict(sorted(state.items())), "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take up a whole state: each process keeps its part of it."""
        self._collected = None
        for group, saved in zip(self.param_groups, state_dict["param_groups"], strict=True):
            group.update({name: value for name, value in saved.items() if name != "params"})
        self._copy_options()
        if self.optim is None:
            return
        numbers = {id(each): number for number, each in enumerate(self._all())}
        own, own_number = {}, 0
        inner_groups = []
        for inner in self.optim.param_groups:
            places = []
            for each in inner["params"]:
                if numbers[id(each)] in state_dict["state"]:
                    own[own_number] = state_dict["state"][numbers[id(each)]]
                places.append(own_number)
                own_number += 1
            inner_groups.append(
                {**{name: value for name, value in inner.items() if name != "params"}, "params": places}
            )
        self.optim.load_state_dict({"state": own, "param_groups": inner_groups})

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters; owners are chosen anew if there is a state already, so do it before the first step."""
        super().add_param_group(param_group)
        if hasattr(self, "_owner"):
            self._split()

    def join_hook(self, **kwargs: Any) -> Any:
        """What it does in a process that has run out of inputs: its part of each step."""
        from rushlight.distributed.algorithms.join import JoinHook

        outer = self

        class StepHook(JoinHook):
            def main_hook(self) -> None:
                outer.step()

        return StepHook()

    @property
    def join_device(self) -> Any:
        return self._all()[0].device

    @property
    def join_process_group(self) -> Any:
        return self.process_group
