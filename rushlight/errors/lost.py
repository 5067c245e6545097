"""Lost history: where values left the graph as plain numbers, and the warning for `tensor([t1, t2])`."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.errors import location
from rushlight.errors.warning import first_time, warn
from rushlight.native import extension

# what cut a history and on which line, as a tensor's `_cut` keeps it
Cut = tuple[str, location.Location | None]

SHOWN = 5
# numbers and arrays that came out of a graph, for a later `tensor(number)`; all are forgotten at this many
REMEMBERED = 1000
_numbers: dict[float, Cut] = {}
_arrays: dict[int, tuple[weakref.ref, Cut]] = {}
# the last places where values left a graph, newest last
_exits: deque[Cut] = deque(maxlen=64)


def catch_up() -> None:
    """Note what native `item` has handed out since the last time; it keeps the values and their lines."""
    if extension is not None:
        for value, place in extension.take_exits():
            _exits.append(("item", place))
            remember_number(value, ("item", place))


def number_left(value: Any, reason: str = "item") -> None:
    """Note the line on which a value with a history became a plain number."""
    catch_up()
    cut = reason, location.user_line()
    _exits.append(cut)
    remember_number(value, cut)


def list_left(values: Any) -> None:
    """Note the line on which values with a history became a list; the first number stands for all."""
    catch_up()
    cut = "tolist", location.user_line()
    _exits.append(cut)
    remember_number(first_number(values), cut)


def remember_number(value: Any, cut: Cut) -> None:
    # whole numbers tell too little: they are everywhere
    if type(value) is float and not value.is_integer():
        if len(_numbers) >= REMEMBERED:
            _numbers.clear()
        _numbers[value] = cut


def array_left(array: np.ndarray, cut: Cut) -> None:
    """Note that a NumPy array shows the memory of a tensor whose history was cut."""
    catch_up()
    cut = ("numpy" if cut[0] == "detach" else cut[0], cut[1])
    _exits.append(cut)
    if len(_arrays) >= REMEMBERED:
        _arrays.clear()
    owner = owner_of(array)
    _arrays[id(owner)] = weakref.ref(owner), cut


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array that holds the memory; NumPy keeps the chain of views one link long."""
    return array.base if isinstance(array.base, np.ndarray) else array


def cut_of_data(data: Any) -> Cut | None:
    """Where numbers, lists of them or an array came out of a graph, if they are known to have."""
    if isinstance(data, np.ndarray):
        owner = owner_of(data)
        known = _arrays.get(id(owner))
        return known[1] if known is not None and known[0]() is owner else None
    catch_up()
    if not _numbers:
        return None
    if type(data) is list and data and type(data[0]) is float:
        return next((_numbers[each] for each in data if type(each) is float and each in _numbers), None)
    value = first_number(data)
    return _numbers.get(value) if type(value) is float else None


def first_number(data: Any) -> Any:
    while type(data) is list and data:
        data = data[0]
    return data


def last_exits(count: int) -> list[Cut]:
    """The last few places where values left a graph, newest first."""
    catch_up()
    return list(dict.fromkeys(reversed(_exits)))[:count]


def warn_lost(tensors: list[Tensor], function: str) -> None:
    """Say, once per line, which leaves get no gradient through the copy, and what keeps the history."""
    if not first_time("lost history"):
        return
    leaves = leaves_behind(tensors)
    shown = "".join(f"\n  {describe(leaf)}" for leaf in leaves[:SHOWN])
    more = f"\n  and {len(leaves) - SHOWN} more" if len(leaves) > SHOWN else ""
    warn(
        f"torch.{function}([...]) copies the numbers and drops the history: converting a tensor with "
        f"requires_grad=True to a number leaves these without a gradient:{shown}{more}\n"
        "Write torch.stack([...]) to keep the history, or detach() the tensors first if only their values "
        "matter."
    )


def leaves_behind(tensors: list[Tensor]) -> list[Tensor]:
    """The leaves that require grad and that the tensors came from, oldest edge last; without recursion."""
    found: dict[int, Tensor] = {}
    seen: set[int] = set()
    stack: list = [tensor.grad_fn or tensor for tensor in tensors]
    while stack:
        each = stack.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, Tensor):
            found[id(each)] = each
        else:
            stack.extend(each.edges)
    return list(found.values())


def describe(leaf: Tensor) -> str:
    """A leaf by its kind and shape, and the line that made it where that is known."""
    text = f"{type(leaf).__name__} of shape {list(leaf._array.shape)}"
    return text if leaf._created is None else f"{text}, made at {location.describe(leaf._created)}"
