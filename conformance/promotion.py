"""Type promotion: the dtype of a result, for every pair of dtypes and kinds of operand."""

import functools
import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.compare import compare_errors, explain
from conformance.libraries import Library, dtype_name
from conformance.outcomes import Outcome, attempt
from conformance.records import DTYPES

NUMBERS = (True, 1, 1.0, 1 + 0j)

OPERATIONS: dict[str, Callable] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "true_divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "pow": operator.pow,
    "eq": operator.eq,
    "lt": operator.lt,
    "add_": operator.iadd,
    "mul_": operator.imul,
    "div_": operator.itruediv,
}

FUNCTIONS = ("maximum", "atan2", "bitwise_and", "div", "fmod")

MOST_SHOWN = 40


@dataclass(frozen=True)
class Operand:
    """One side of an operation: a tensor of some dims, or a Python number."""

    dtype: str | None
    shape: tuple[int, ...] = ()
    number: Any = None

    def make(self, library: Library) -> Any:
        if self.dtype is None:
            return self.number
        return library.module.ones(self.shape, dtype=getattr(library.module, self.dtype))

    def __str__(self) -> str:
        if self.dtype is None:
            return repr(self.number)
        return f"{self.dtype}{list(self.shape) if self.shape else ' 0-dim'}"


def operands() -> list[Operand]:
    tensors = [Operand(dtype, shape) for shape in ((2,), ()) for dtype in DTYPES]
    return tensors + [Operand(None, number=number) for number in NUMBERS]


def check_promotion(library_name: str) -> tuple[int, int]:
    """Prints what disagrees and the counts; gives how many agree, and of how many."""
    torch, library = Library("torch"), Library(library_name)
    counts: dict[str, list[int]] = {}
    wrong: list[str] = []
    for name, text, act in cases():
        expected = attempt(functools.partial(act, torch))
        # complex32 is none of the dtypes compared here
        if "complex32" in str(expected.raw) or "ComplexHalf" in str(expected.error):
            continue
        got = attempt(functools.partial(act, library))
        reason = compare_dtypes(expected, got)
        count = counts.setdefault(name, [0, 0])
        count[0] += reason is None
        count[1] += 1
        if reason is not None:
            wrong.append(f"{name}({text}): {reason}")
    print_promotion(counts, wrong)
    return sum(agree for agree, _ in counts.values()), sum(total for _, total in counts.values())


def cases():
    """Every question as (function, operands in words, the call on a library)."""
    for left, right in itertools.product(DTYPES, repeat=2):
        for name in ("promote_types", "can_cast"):
            yield name, f"{left}, {right}", functools.partial(ask_dtypes, name, left, right)
    for left, right in itertools.product(operands(), repeat=2):
        text = f"{left}, {right}"
        yield "result_type", text, functools.partial(ask_result_type, left, right)
        if left.dtype is None and right.dtype is None:
            continue
        yield "where", text, functools.partial(ask_where, left, right)
        for name, operation in OPERATIONS.items():
            # a Python number is no target for an in-place operation
            if not name.endswith("_") or left.dtype is not None:
                yield name, text, functools.partial(ask_operation, operation, left, right)
        if left.dtype is not None and right.dtype is not None:
            for name in FUNCTIONS:
                yield name, text, functools.partial(ask_function, name, left, right)


def ask_dtypes(name: str, left: str, right: str, library: Library) -> str:
    module = library.module
    return dtype_name(getattr(module, name)(getattr(module, left), getattr(module, right)))


def ask_result_type(left: Operand, right: Operand, library: Library) -> str:
    return dtype_name(library.module.result_type(left.make(library), right.make(library)))


def ask_where(left: Operand, right: Operand, library: Library) -> str:
    condition = library.module.ones(2, dtype=library.module.bool)
    return dtype_name(library.module.where(condition, left.make(library), right.make(library)).dtype)


def ask_operation(operation: Callable, left: Operand, right: Operand, library: Library) -> str:
    return dtype_name(operation(left.make(library), right.make(library)).dtype)


def ask_function(name: str, left: Operand, right: Operand, library: Library) -> str:
    return dtype_name(getattr(library.module, name)(left.make(library), right.make(library)).dtype)


def compare_dtypes(expected: Outcome, got: Outcome) -> str | None:
    if expected.error is not None and got.error is not None:
        return compare_errors(expected.error, got.error)
    words = [explain(each.error) if each.error is not None else each.raw for each in (expected, got)]
    return None if words[0] == words[1] else f"torch {words[0]}, here {words[1]}"


def print_promotion(counts: dict[str, list[int]], wrong: list[str]) -> None:
    for line in wrong[:MOST_SHOWN]:
        print(line)
    if len(wrong) > MOST_SHOWN:
        print(f"... and {len(wrong) - MOST_SHOWN} more")
    print()
    for name, (agree, total) in counts.items():
        print(f"{name:36}{agree} of {total}")
    agree, total = (sum(column) for column in zip(*counts.values(), strict=True))
    print(f"{'promotion: agree':36}{agree} of {total}")
