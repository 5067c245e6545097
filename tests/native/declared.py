"""What kernels declare, and what became of a call: done, or left to Python for a reason that was declared or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import rushlight as torch
from rushlight import native
from rushlight.native import tallies
from rushlight.native.tallies import Kernel, Tally, Want
from rushlight.ops.machine.declare import Op
from tests.ops.samples import flat

# The rows of pointwise ops declare their dtypes and conditions in tables of their own, all ops what is a tensor; an op
# behind a composed function has counted its own reason.
DECLARED = (
    "form == nullptr",
    "dtype < 0 ||",
    "mask ||",
    "!is_number(value)",
    "saved dtypes differ",
    "the op behind it",
    "its op declined",
)


class Outcome(NamedTuple):
    """What a kernel did in a call, and why any kernel left something to Python that it declares to take."""

    done: int
    undeclared: list[str]


def kernel_named(name: str) -> Kernel:
    # the one row: to make all of them takes milliseconds
    return next(tallies.kernel_of(*row) for row in native.extension.kernel_report() if row[0] == name)


def new_reasons(before: Tally | None, after: Tally | None, wants: tuple[Want, ...]) -> list[str]:
    """Reasons that were counted meanwhile and are no want of the kernel."""
    if before is None or after is None or before.declined == after.declined:
        return []
    names = {want.name for want in wants}
    new = [words for words, count in after.reasons.items() if count > before.reasons.get(words, 0)]
    return [each for each in new if each.partition(": ")[0] not in names and not each.startswith(DECLARED)]


def watched(op: Op, call: Callable[[], Any]) -> tuple[Any, Outcome, Outcome]:
    """What a call returns, and what became of it, forwards and backwards."""
    before = native.extension.kernel_report()
    result = call()
    after = native.extension.kernel_report()
    done, forwards, backwards = [0, 0], [], []
    for row, later in zip(before, after, strict=True):
        if row == later:
            continue
        one, other = tallies.kernel_of(*row), tallies.kernel_of(*later)
        forwards += new_reasons(one.forward, other.forward, one.takes)
        backwards += new_reasons(one.gradient, other.gradient, one.given)
        if one.name == op.name:
            done[0] = other.forward.accepted - one.forward.accepted
            done[1] = other.gradient.accepted - one.gradient.accepted if one.gradient and other.gradient else 0
    return result, Outcome(done[0], forwards), Outcome(done[1], backwards)


def forward(op: Op, calls: list[tuple[tuple, dict]]) -> tuple[list[list[torch.Tensor] | None], Outcome]:
    """The results of some calls, None for an error, and what became of all: to ask takes a millisecond."""

    def results(args: tuple, kwargs: dict) -> list[torch.Tensor] | None:
        try:
            return flat(op.function(*args, **kwargs))
        except Exception:  # samples of errors
            return None

    found, outcome, _ = watched(op, lambda: [results(*each) for each in calls])
    return found, outcome


def backward(op: Op, results: list[torch.Tensor]) -> Outcome:
    """What became of the gradients of all results."""

    def run() -> None:
        for each in results:
            if each.requires_grad and each.grad_fn is not None:
                each.backward(torch.ones_like(each), retain_graph=True)

    return watched(op, run)[2]


def in_layout(value: Any, layout: str) -> Any:
    """An argument with its arrays in C order, or in the order of Fortran."""
    if isinstance(value, np.ndarray):
        return np.asfortranarray(value) if layout == "turned" else np.ascontiguousarray(value).reshape(value.shape)
    if isinstance(value, (list, tuple)):
        return type(value)(in_layout(each, layout) for each in value)
    return value
