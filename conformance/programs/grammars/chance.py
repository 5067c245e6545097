"""Chance: writes whose result depends on the order in which a library walks over memory that it also reads.

PyTorch refuses many of them and documents that the others are undefined: programs leave them out.
"""

from __future__ import annotations

import copy
import re
import warnings
from typing import Any

import numpy as np

from conformance.programs.scope import Scope

# what torch computes row after row: there is one answer, although it is seldom what one wants
ROW_BY_ROW = re.compile(
    r"^\w+(\.(add|sub|mul|div|neg|exp|sqrt|abs|sin|pow|clamp|relu|tanh|sigmoid|square)_\(| [-+*/]= )"
)
TARGET = re.compile(r"^(\w+)(?=[.\[ ])")


def left_to_chance(scope: Scope, text: str) -> bool:
    """Whether a statement writes to elements that share a place unnoticed, or reads what it has written."""
    line = text.splitlines()[-1].strip()
    found = re.search(r"out=(\w+)", line) or TARGET.search(line)
    if found is None:
        return False
    target = scope.value(found[1])
    if overlaps_itself(target) and not ROW_BY_ROW.search(line):
        return True
    others = [name for name in scope.tensors() if name in re.findall(r"\w+", line) and meet(target, scope.value(name))]
    if not others:
        return False
    line = line[: found.start(1)] + "target" + line[found.end(1) :]
    one, two = [outcome(scope, line, found[1], apart) for apart in (False, True)]
    return one is not None and two is not None and not same(one, two)


def overlaps_itself(tensor: Any) -> bool:
    """Whether elements share a place in a way that torch does not look for: it knows of expanded ones."""
    steps = [(size, step) for size, step in zip(tensor.shape, tensor.stride(), strict=True) if size > 1]
    if any(step == 0 for _, step in steps) or not tensor.numel() or tensor.is_contiguous():
        return False
    places = np.zeros((), np.int64)
    for size, step in steps:
        places = np.add.outer(places, np.arange(size) * step)
    return len(np.unique(places)) < places.size


def meet(one: Any, two: Any) -> bool:
    """Whether two tensors have their memory in common."""
    return one.untyped_storage().data_ptr() == two.untyped_storage().data_ptr()


def outcome(scope: Scope, line: str, name: str, apart: bool) -> Any:
    """What a write makes of copies of the tensors it names, the target in memory of its own or not; None if refused."""
    names = {each: scope.value(each).detach() for each in scope.tensors()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # torch fails to copy the memory of some results of its transforms
            copies = copy.deepcopy(names)
            copies["target"] = copy.deepcopy(names[name]) if apart else copies[name]
            exec(line, {**scope.namespace, **copies})
        except Exception:
            return None
    return copies["target"]


def same(one: Any, two: Any) -> bool:
    """Whether two tensors hold the same numbers."""
    return one.shape == two.shape and bool(((one == two) | ((one != one) & (two != two))).all())
