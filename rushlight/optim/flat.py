"""Flat groups: small parameters laid end to end, so that one step serves them all.

On small arrays NumPy's time is the number of calls: Adam on the six arrays of a little network takes 80 calls one
by one and 13 laid flat, a third of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.tensor import Tensor, wrap

# above this the copies in and out cost more than the calls they save
LARGEST = 1 << 16


class Flat:
    """Parameters of one dtype, with their state in shared arrays; each parameter's own state is a view of those."""

    def __init__(self, params: list[Tensor], state: dict[str, np.ndarray], first: bool):
        self.params = params
        self.state = state
        self.first = first
        ends = np.cumsum([each._array.size for each in params]).tolist()
        self.spans = list(zip([0, *ends], ends, strict=False))
        self.states = [self.state_of(place) for place in range(len(params))]
        # by identity: a program may put other tensors into its state
        self.made = [[id(each) for each in state.values()] for state in self.states]

    def state_of(self, place: int) -> dict[str, Tensor]:
        start, end = self.spans[place]
        shape = self.params[place]._array.shape
        return {
            name: wrap(array[start:end].reshape(shape) if array.ndim else array) for name, array in self.state.items()
        }

    def serves(self, params: list[Tensor], known: dict) -> bool:
        """Whether these are still the parameters, and their state still the views made here."""
        if len(params) != len(self.params):
            return False
        for param, mine, state, made in zip(params, self.params, self.states, self.made, strict=True):
            current = known.get(param)
            if param is not mine or (current is not state and (current or state)) or [id(each) for each in state.values()] != made:
                return False
        return True

    def step(self, step_for: Callable, group: dict[str, Any]) -> None:
        """Move all parameters at once."""
        params = self.params
        values = np.concatenate([each._array.ravel() for each in params])
        grads = np.concatenate([each._grad._array.ravel() for each in params])
        if group.get("maximize"):
            np.negative(grads, grads)
        step_for(values, grads, self.state, group, self.first)
        self.first = False
        for param, (start, end) in zip(params, self.spans, strict=True):
            array = param._array
            array[...] = values[start:end].reshape(array.shape)


def flat_for(optimizer: Any, group: dict[str, Any], params: list[Tensor]) -> Flat | None:
    """The flat form of a group's parameters, made anew if something changed; None where it does not fit."""
    known = optimizer.flats.get(id(group))
    if known is not None and known.serves(params, optimizer.state):
        return known
    if not fits(params):
        return None
    states = [optimizer.state.get(each) for each in params]
    if not any(states):
        size = sum(each._array.size for each in params)
        state, first = optimizer.state_for(np.empty(size, params[0]._array.dtype), group), True
    else:
        joined = joined_state(params, states)
        if joined is None:
            return None
        state, first = joined, False
    made = optimizer.flats[id(group)] = Flat(params, state, first)
    for param, each in zip(params, made.states, strict=True):
        if each:
            optimizer.state[param] = each
    return made


def fits(params: list[Tensor]) -> bool:
    """Whether laying these end to end is possible and pays."""
    if len(params) < 2 or sum(each._array.size for each in params) > LARGEST:
        return False
    kind = params[0]._array.dtype
    if kind.kind != "f" or len({id(each) for each in params}) != len(params):
        return False
    return all(each._array.dtype == kind and each._grad._array.dtype == kind for each in params)


def joined_state(params: list[Tensor], states: list) -> dict[str, np.ndarray] | None:
    """State that exists already, joined; None if the parameters have not gone through the same steps."""
    if not all(states) or any(each.keys() != states[0].keys() for each in states):
        return None
    joined = {}
    for name, value in states[0].items():
        arrays = [each[name]._array if isinstance(each[name], Tensor) else None for each in states]
        if any(each is None for each in arrays):
            return None
        if name == "step":
            if any(each != value._array for each in arrays):
                return None
            joined[name] = value._array.copy()
        elif any(a.shape != p._array.shape or a.dtype != p._array.dtype for a, p in zip(arrays, params, strict=True)):
            return None
        else:
            joined[name] = np.concatenate([each.ravel() for each in arrays])
    return joined
