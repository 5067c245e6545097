"""Flat groups: small parameters laid end to end, so that one step serves them all.

On small arrays NumPy's time is the number of calls: Adam on the six arrays of a little network takes 80 calls one
by one and 13 laid flat, a third of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rushlight.core.memory.shared import block_of
from rushlight.core.memory.strides import is_fresh
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.machine.inplace import make_writable

if TYPE_CHECKING:
    from rushlight.optim.optimizer import Optimizer

Moving: TypeAlias = Any  # a Tensor that has a gradient

# a parameter with more elements moves alone: copying it in and out costs what the calls that are saved do
LARGEST = 1 << 13
# and so do those that come after as many: temporaries should stay in the cache
TOTAL = 1 << 16


class Flat:
    """Small parameters of one dtype, and their state in joint arrays of which each one's own state is a view.

    What is one number for a parameter, such as the count of steps, is a column of as many numbers here, all the same.
    """

    def __init__(self, given: list[Moving], params: list[Moving], state: dict[str, np.ndarray], first: bool):
        self.given = given  # all that have a gradient; `params` are the small ones
        self.params = params
        self.members = set(params)
        self.state = state
        self.first = first
        self.dtype = params[0]._array.dtype
        self.shapes = [each._array.shape for each in params]
        ends = np.cumsum([each._array.size for each in params]).tolist()
        self.spans = list(zip([0, *ends], ends, strict=False))
        self.views = [self.views_of(place) for place in range(len(params))]

    def views_of(self, place: int) -> dict[str, np.ndarray]:
        """One parameter's part of the state."""
        start, end = self.spans[place]
        shape = self.shapes[place]
        return {
            name: array[start:end].reshape(shape) if array.ndim == 1 else array[place].reshape(())
            for name, array in self.state.items()
        }

    def serves(self, given: list[Moving], known: dict) -> bool:
        """Whether all is still as it was laid out: the parameters, their arrays, and their state."""
        if len(given) != len(self.given) or any([a is not b for a, b in zip(given, self.given, strict=True)]):
            return False
        for param, shape, views in zip(self.params, self.shapes, self.views, strict=True):
            array, grad = param._array, param._grad._array
            if array.shape != shape or array.dtype is not self.dtype or grad.dtype is not self.dtype:
                return False
            if views:
                state = known.get(param)
                if state is None:
                    return False
                for name, view in views.items():
                    # a storage: the program has a view of this state, or wrote to it
                    value = state.get(name)
                    if not isinstance(value, Tensor) or value._array is not view or value._storage is not None:
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
        for param, shape, (start, end) in zip(params, self.shapes, self.spans, strict=True):
            if not param._array.flags.writeable:
                make_writable(param._array)
            param._array[...] = values[start:end].reshape(shape)

    def hand_out(self, known: dict) -> None:
        """Make each parameter's state views of the joint arrays; tensors that exist stay the same objects."""
        if self.state:
            for param in self.given:
                known[param]  # in this order, as in torch
        for param, views in zip(self.params, self.views, strict=True):
            if views:
                state = known[param]
                for name in views.keys() & state.keys():
                    state[name]._array, state[name]._storage = views[name], None
                # all at once: half a state, left by a signal that raises here, would be taken for another method's
                state.update({name: wrap(view) for name, view in views.items() if name not in state})


def flat_for(optimizer: Optimizer, number: int, group: dict[str, Any], given: list[Moving]) -> Flat | None:
    """The flat form of a group's small parameters, made anew if something changed; None where it does not fit."""
    known = optimizer._flats.get(number)
    if (
        known is not None
        and known.serves(given, optimizer.state)
        # SGD remembers nothing until a program sets a momentum
        and (known.state or not optimizer.state_for(np.empty(0, known.dtype), group))
    ):
        return known
    # one that sits out a step does not know what its parameters went through
    optimizer._flats.pop(number, None)
    params = small(given)
    if len(params) < 2:
        return None
    joined = joined_state(optimizer, params, group)
    if joined is None:
        return None
    made = optimizer._flats[number] = Flat(given, params, *joined)
    made.hand_out(optimizer.state)
    return made


def small(given: list[Moving]) -> list[Moving]:
    """Those parameters for which it is possible to be laid end to end, and pays; state lies as its parameter does."""
    params, total = [], 0
    for each in given:
        array = each._array
        if array.dtype.kind == "f" and is_fresh(array) and array.size <= LARGEST and total + array.size <= TOTAL:
            params.append(each)
            total += array.size
    if len(set(params)) != len(params):
        return []
    kinds = {each._array.dtype for each in params} | {each._grad._array.dtype for each in params}
    return params if len(kinds) == 1 else []


def joined_state(
    optimizer: Optimizer, params: list[Moving], group: dict[str, Any]
) -> tuple[dict[str, np.ndarray], bool] | None:
    """Joint state and whether it is new; None if the parameters have not gone through the same steps."""
    size = sum([each._array.size for each in params])
    states: list = [optimizer.state.get(each) for each in params]
    fresh = optimizer.state_for(np.empty(size, params[0]._array.dtype), group)
    if not any(states):
        return {name: each if each.ndim else np.full((len(params), 1), each) for name, each in fresh.items()}, True
    if not all(states):
        return None
    joined = {}
    for name, each in fresh.items():
        values = [state.get(name) for state in states]
        if not all([isinstance(value, Tensor) for value in values]):
            return None
        arrays = [value._array for value in values]
        if any([block_of(array) is not None for array in arrays]):
            # other processes read and write it where it is
            return None
        if not each.ndim:
            if any([array != arrays[0] for array in arrays]):
                return None
            joined[name] = np.array(arrays)[:, None]
        elif each.dtype != arrays[0].dtype and not group.get("foreach"):
            # the parameters were converted since: a method that refuses that does so at the first, and counts no other
            return None
        elif [array.shape for array in arrays] == [param._array.shape for param in params]:
            joined[name] = np.concatenate([array.ravel() for array in arrays])
        else:
            return None
        if len({array.dtype for array in arrays}) != 1:
            return None
    return joined, False
