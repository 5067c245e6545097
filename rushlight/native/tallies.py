"""Tallies: how often each kernel did its work, and how often it left it to Python, with the reasons."""

from __future__ import annotations

from typing import NamedTuple

from rushlight.native import extension


class Tally(NamedTuple):
    """Calls that native code did, calls that it left to Python, and why: C++ conditions with their counts."""

    accepted: int
    declined: int
    reasons: dict[str, int]


class Want(NamedTuple):
    """What a kernel takes of one argument or saved value; what does not meet it is left to Python."""

    name: str
    kind: str  # "tensor", "tensors", "none", "flag", "dim", "dims", "integer" or "number"
    dtypes: tuple[str, ...]  # of a tensor; none for any at all
    least: int  # dims of a tensor
    most: int
    layout: str  # "any", "ordered" by its dims, "dense" if contiguous, "packed" if copied where it is not


class Kernel(NamedTuple):
    """One kernel: an op, a composed function, a Python function or a call of a module with a native way."""

    name: str
    is_claimed: bool  # whether something of this name was declared in Python
    forward: Tally
    gradient: Tally | None  # None where its gradient is Python's
    kind: str  # "op"; "route" of a composed function, "shortcut" of a Python function; "link": modules and optimizers
    takes: tuple[Want, ...]  # of its arguments
    given: tuple[Want, ...]  # of the values that are saved for its gradient, and of the gradient that comes in

    @property
    def is_route(self) -> bool:
        return self.kind == "route"


class Report(list[Kernel]):
    """Kernels, printed as a table of those that were called."""

    def __repr__(self) -> str:
        called = [each for each in self if any(tally.accepted + tally.declined for _, tally in parts(each))]
        lines = [f"{len(self)} kernels, {len(called)} of them called", ""] if called else [f"{len(self)} kernels"]
        for each in called:
            for part, tally in parts(each):
                if tally.accepted + tally.declined:
                    lines.append(f"{tally.accepted:>10,} done {tally.declined:>8,} left to Python  {each.name}{part}")
                    lines += [f"{count:>34,} x {words}" for words, count in by_count(tally.reasons)]
        return "\n".join(lines)


def parts(kernel: Kernel) -> list[tuple[str, Tally]]:
    """The tallies of a kernel, with what follows its name in the table."""
    found = [("", kernel.forward)]
    return found if kernel.gradient is None else [*found, (", gradient", kernel.gradient)]


def by_count(reasons: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(reasons.items(), key=lambda item: -item[1])


def report() -> Report:
    """All kernels with what they did so far in this process; empty where there is no native layer.

    >>> len(rushlight.native.report())  # doctest: +SKIP
    301
    """
    return Report(kernel_of(*row) for row in ([] if extension is None else extension.kernel_report()))


# in the order of `kernels/row.h`
DTYPES = ("float32", "float64", "int64", "bool", "float16", "bfloat16")


def kernel_of(
    name: str, claimed: bool, forward: tuple, gradient: tuple | None, kind: str, takes: list, given: list
) -> Kernel:
    """A kernel from a row of the extension's report."""
    backward = None if gradient is None else Tally(*gradient)
    return Kernel(name, claimed, Tally(*forward), backward, kind, wants_of(takes), wants_of(given))


def wants_of(rows: list[tuple[str, str, int, int, int, str]]) -> tuple[Want, ...]:
    return tuple(
        Want(name, kind, tuple(each for bit, each in enumerate(DTYPES) if dtypes >> bit & 1), least, most, layout)
        for name, kind, dtypes, least, most, layout in rows
    )
