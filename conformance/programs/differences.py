"""Differences: two snapshots of one statement held against each other, each difference with its weight."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np

from conformance.programs.snapshot import Failed, Shown

# a difference of these kinds leaves the numbers right: the program goes on
SOFT = ("words", "stride", "node", "version")
LEFT = " left by an error"
TOLERANCE = {"float16": 4e-3, "bfloat16": 4e-2, "float64": 1e-9, "complex128": 1e-9}
USUAL = 2e-5
NAME, BACKWARD = re.compile(r"\b[a-z]+\d+\b"), re.compile(r"backward|grad\(")
HIDDEN = re.compile(r"\bout=|\bD\.|\bd\d+\b|torch\.tensor\((?:\[[^\]]*\]|[-\d.]+)\)")


class Drift:
    """How far numbers may be apart by now: what rounding did to narrower floats goes on into wider ones."""

    def __init__(self) -> None:
        self.seen = self.now = 0.0
        self.narrow: set[str] = set()
        self.memory: dict[int, int] = {}

    def read(self, statement: str) -> None:
        """Look for float32 that does not show afterwards: results cast by `out=`, tensors, distributions."""
        self.memory = {}
        if HIDDEN.search(statement):
            self.seen = max(self.seen, USUAL)
        used = self.narrow if BACKWARD.search(statement) else self.narrow.intersection(NAME.findall(statement))
        # what a statement computes on its way may be float32 where its result is not
        self.now = USUAL if used or "torch.float32" in statement else 0.0

    def note(self, place: str, shown: Shown) -> None:
        """Remember which names stand for narrow floats."""
        kind = shown.dtype.rpartition(".")[2]
        if kind.startswith(("float", "bfloat", "complex")) and TOLERANCE.get(kind, USUAL) >= USUAL:
            self.narrow.update(NAME.findall(place))

    def same_memory(self, torch: Shown, ours: Shown) -> bool:
        """Whether what shares memory in one library does in the other; torch's zeros may have none."""
        if torch.shares == -1:
            return True
        known = self.memory.setdefault(torch.shares, ours.shares)
        return known == ours.shares != -1 and list(self.memory.values()).count(known) == 1

    def tolerance(self, shown: Shown) -> float:
        return max(TOLERANCE.get(shown.dtype.rpartition(".")[2], USUAL), self.seen, self.now)


class Difference(NamedTuple):
    """What differs after a statement: the kind, where, and both answers."""

    kind: str
    place: str
    torch: str
    ours: str
    error: str = ""  # torch's, where the difference was left by one

    @property
    def soft(self) -> bool:
        return self.kind.removesuffix(LEFT) in SOFT

    def __str__(self) -> str:
        return f"{self.kind} of {self.place}: {self.torch} | {self.ours}"


def compare_statement(
    torch: tuple[Failed | None, dict], ours: tuple[Failed | None, dict], drift: Drift | None = None
) -> list[Difference]:
    """All differences after one statement; `drift` tells what rounding has done so far."""
    drift = Drift() if drift is None else drift
    found = compare_errors(torch[0], ours[0])
    errors = len(found)
    for name in {**torch[1], **ours[1]}:
        if name not in torch[1] or name not in ours[1]:
            found.append(Difference("names", name, str(name in torch[1]), str(name in ours[1])))
        else:
            compare(name, torch[1][name], ours[1][name], found, drift)
    if torch[0] is not None and ours[0] is not None:
        left = {"error": brief(torch[0])}
        found[errors:] = [each._replace(kind=each.kind + LEFT, **left) for each in found[errors:]]
    return found


def compare_errors(torch: Failed | None, ours: Failed | None) -> list[Difference]:
    if torch is None and ours is None:
        return []
    if torch is None or ours is None:
        kind = "extra error" if torch is None else "missing error"
        return [Difference(kind, "statement", brief(torch), brief(ours))]
    if torch.kind not in (ours.kind, *ours.bases) and not {torch.kind, ours.kind} <= LINEAR:
        return [Difference("error type", "statement", brief(torch), brief(ours))]
    if not leading(ours.words).startswith(leading(torch.words)):
        return [Difference("words", "statement", brief(torch), brief(ours))]
    return []


# torch's LinAlgError is a RuntimeError by another name
LINEAR = {"LinAlgError", "_LinAlgError"}


def brief(failed: Failed | None) -> str:
    return "none" if failed is None else f"{failed.kind}({failed.words[:100]!r})"


def leading(words: str) -> str:
    """The first words of a message, without numbers and signs."""
    line = words.strip().partition("\n")[0]
    return " ".join(re.findall(r"[A-Za-z_]+", line)[:6]).lower()


def compare(place: str, torch: Any, ours: Any, found: list[Difference], drift: Drift) -> None:
    """Compares two records of any kind and notes what differs."""
    if type(torch) in PLAIN and type(ours) is type(torch) and torch == ours:
        return
    if isinstance(torch, Shown) and isinstance(ours, Shown):
        compare_tensors(place, torch, ours, found, drift)
    elif isinstance(torch, (list, tuple)) and isinstance(ours, (list, tuple)):
        if len(torch) != len(ours):
            found.append(Difference("length", place, shorten(torch), shorten(ours)))
            return
        for number, (one, two) in enumerate(zip(torch, ours, strict=True)):
            compare(f"{place}.{number}", one, two, found, drift)
    elif isinstance(torch, complex) and isinstance(ours, complex):
        for part in ("real", "imag"):
            compare(place, getattr(torch, part), getattr(ours, part), found, drift)
    elif isinstance(torch, float) and isinstance(ours, float):
        if not (
            torch == ours
            or (math.isnan(torch) and math.isnan(ours))
            or math.isclose(torch, ours, rel_tol=1e-4, abs_tol=1e-4)
        ):
            found.append(Difference("value", place, str(torch), str(ours)))
    elif torch != ours and not (isinstance(torch, str) and isinstance(ours, str) and same_text(torch, ours)):
        found.append(Difference("value", place, shorten(torch), shorten(ours)))


PLAIN = {str, int, bool, float, type(None)}


def same_text(one: str, two: str) -> bool:
    """Whether texts agree but for the rounding of the numbers in them, of 0 too."""
    if NUMBER.sub("0", one) != NUMBER.sub("0", two):
        return False
    pairs = zip(NUMBER.finditer(one), NUMBER.finditer(two), strict=True)
    return all(math.isclose(float(a[0]), float(b[0]), rel_tol=1e-4, abs_tol=1e-6) for a, b in pairs)


NUMBER = re.compile(r"-?\d+\.\d*(e[-+]?\d+)?")


def shorten(record: Any) -> str:
    return str(record)[:120]


def compare_tensors(place: str, torch: Shown, ours: Shown, found: list[Difference], drift: Drift) -> None:
    for field, kind in HARD_FIELDS:
        if getattr(torch, field) != getattr(ours, field):
            answers = [f"{getattr(each, field)} ({each.dtype})" for each in (torch, ours)]
            found.append(Difference(kind, place, *answers))
            return
    if not drift.same_memory(torch, ours):
        found.append(Difference("sharing", place, str(torch.shares), str(ours.shares)))
        return
    drift.note(place, torch)
    if not equal_values(torch, ours, drift):
        found.append(Difference("value", place, shorten(torch.values), shorten(ours.values)))
    if (torch.stride, torch.offset) != (ours.stride, ours.offset) and (torch.values is None or torch.values.size):
        found.append(Difference("stride", place, f"{torch.stride} + {torch.offset}", f"{ours.stride} + {ours.offset}"))
    if torch.version != ours.version:
        found.append(Difference("version", place, str(torch.version), str(ours.version)))
    if torch.node != ours.node and not (torch.node and ours.node and same_name(torch.node, ours.node)):
        found.append(Difference("node", place, str(torch.node), str(ours.node)))
    if torch.grad is not None and ours.grad is not None:
        compare_tensors(f"{place}.grad", torch.grad, ours.grad, found, drift)
    elif torch.grad is not ours.grad:
        found.append(Difference("grad", place, shorten(torch.grad), shorten(ours.grad)))


HARD_FIELDS = (
    ("kind", "type"),
    ("dtype", "dtype"),
    ("shape", "shape"),
    ("requires_grad", "requires_grad"),
    ("is_leaf", "is_leaf"),
)


def same_name(one: str, two: str) -> bool:
    """Nodes have one name; the number behind it counts overloads in torch."""
    return one.rpartition("::")[2] == two.rpartition("::")[2]


def equal_values(torch: Shown, ours: Shown, drift: Drift) -> bool:
    one, two = torch.values, ours.values
    if one is None or two is None:
        return one is two
    if one.dtype.kind not in "fc":
        return bool(np.array_equal(one, two))
    if (one.shape == two.shape and one.tobytes() == two.tobytes()) or np.array_equal(one, two, equal_nan=True):
        return True
    tolerance = drift.seen = drift.tolerance(torch)
    with np.errstate(all="ignore"):
        finite = one[np.isfinite(one)]
        scale = float(np.abs(finite).max()) if finite.size else 0.0
        return bool(np.allclose(two, one, rtol=tolerance, atol=tolerance * max(1.0, scale * 0.1), equal_nan=True))
