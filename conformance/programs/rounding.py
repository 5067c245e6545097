"""Rounding: whether torch's own answer moves as far when the numbers of a program move by a unit in the last place."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np

from conformance.programs.differences import Difference, Drift, compare
from conformance.programs.execution import Execution
from conformance.programs.program import Program
from conformance.programs.snapshot import Shown
from conformance.programs.verdict import Finding

UNIT = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52, "complex64": 2.0**-23}
TENSOR = re.compile(r"torch\.tensor\((.*?), dtype=torch\.(\w+)\)")
FLOAT = re.compile(r"\d+\.\d+(?:e[-+]?\d+)?")
# statements that go on until a change is small
SEARCH = re.compile(r"\.step\(closure\)")
TRIES = 4
# two libraries round at every step, the moved numbers only at the first
MARGIN = 4.0
# numbers of eight binary digits are taken for exact: what no step had to round
EXACT = 2**8


def is_rounding(program: Program, finding: Finding) -> bool:
    """Whether a difference is no larger than what a last digit of the program's numbers does to torch."""
    statements = program.statements[: finding.number + 1]
    # after another number of steps there are other tensors too, in other memory
    kind, searches = finding.difference.kind, SEARCH.search(finding.statement)
    if searches and kind in ("value", "length", "sharing", "version") and steps_waver(program, statements):
        return True
    place = finding.difference.place
    return kind == "value" and (follows(program, statements, place) or reaches(program, statements, place))


def follows(program: Program, statements: list[str], place: str) -> bool:
    """Whether torch gives our answer when it is handed our operands, which differ from its own in last digits.

    A cut, a comparison or a quotient may make anything of a last digit: then the statement is right, and nobody wrong.
    """
    torch, ours = (ran(program, statements[:-1], library) for library in ("torch", "rushlight"))
    if not hand_over(torch, ours):
        return False
    torch.run(statements[-1])
    ours.run(statements[-1])
    found: list[Difference] = []
    compare(place, answer(torch, place), answer(ours, place), found, Drift())
    return not any(each.kind == "value" for each in found)


def hand_over(torch: Execution, ours: Execution) -> bool:
    """Writes our numbers into torch's tensors of the same names; False where none was another."""
    targets, sources = tensors(torch), tensors(ours)
    changed = False
    for name in targets.keys() & sources.keys():
        target, source = (each[name].detach() for each in (targets, sources))
        inexact = target.is_floating_point() or target.is_complex()
        if not inexact or not target.numel() or tuple(target.shape) != tuple(source.shape):
            continue
        if target.is_inference() or is_expanded(target):
            continue
        numbers = torch.module.tensor(source.tolist(), dtype=target.dtype)
        if not torch.module.equal(numbers.nan_to_num(), target.nan_to_num()):
            changed = True
            target.data.copy_(numbers)
    return changed


def reaches(program: Program, statements: list[str], place: str) -> bool:
    """Whether a last digit moves torch's answer as far as the two libraries are apart."""
    torch, ours = (answer(ran(program, statements, library), place) for library in ("torch", "rushlight"))
    apart = distance(torch, ours)
    if not np.isfinite(apart):
        return False
    moves = random.Random(program.seed)
    for _ in range(TRIES):
        reach = distance(torch, answer(moved_run(program, statements, moves), place))
        if np.isfinite(reach) and apart <= MARGIN * reach:
            return True
    return False


def steps_waver(program: Program, statements: list[str]) -> bool:
    """Whether a search that ends where a change is small enough takes torch another number of steps."""
    counts = evaluations(ran(program, statements, "torch"))
    moves = random.Random(program.seed)
    return any(evaluations(moved_run(program, statements, moves)) != counts for _ in range(TRIES))


def evaluations(execution: Execution) -> list[tuple[int, int]]:
    """How often each L-BFGS of a program has called its closure, and in how many steps: the last one does not."""
    made = [execution.namespace[name] for name in execution.own()]
    searches = [each for each in made if isinstance(each, execution.module.optim.LBFGS)]
    states = [state for each in searches for state in each.state.values() if "func_evals" in state]
    return [(each["func_evals"], each["n_iter"]) for each in states]


def move(statement: str, moves: random.Random) -> str:
    """The statement with each number in its tensors a unit larger, smaller, or as it was."""

    def tensor(match: re.Match) -> str:
        unit = UNIT.get(match[2])
        return match[0] if unit is None else FLOAT.sub(lambda number: scaled(number[0], unit), match[0])

    def scaled(number: str, unit: float) -> str:
        return repr(float(number) * (1 + unit * moves.choice((-1, 0, 1))))

    return TENSOR.sub(tensor, statement)


def moved_run(program: Program, statements: list[str], moves: random.Random) -> Execution:
    """The program under torch with its numbers moved, and each result too."""
    return ran(program, [move(each, moves) for each in statements], "torch", moves)


def ran(program: Program, statements: list[str], library: str, moves: random.Random | None = None) -> Execution:
    """The statements in a library; results move after each, if asked."""
    execution = Execution(library, program.seed)
    for each in statements:
        before = states(execution) if moves is not None else {}
        execution.run(each)
        if moves is not None:
            after = states(execution)
            move_results(execution, [name for name in after if after[name] != before.get(name)], moves)
    return execution


def answer(execution: Execution, place: str) -> Any:
    """What stands at a place, such as `x3.grad` or `o4.2.1`, afterwards."""
    name, *path = place.split(".")
    record = execution.show().get(name)
    try:
        for part in path:
            record = record.grad if part == "grad" else record[int(part)]
    except (AttributeError, IndexError, TypeError):  # the moved numbers led elsewhere
        return None
    return record


def states(execution: Execution) -> dict[str, tuple[int, int]]:
    """For each tensor that has a name or is a parameter, what changes when it is made or written to."""
    return {name: (id(each), each._version) for name, each in tensors(execution).items() if not each.is_inference()}


def tensors(execution: Execution) -> dict[str, Any]:
    """The tensors of a program by their names, those of its modules too: a step rounds as any statement does."""
    found = {}
    for name in execution.own():
        value = execution.namespace[name]
        if isinstance(value, execution.module.Tensor):
            found[name] = value
        elif isinstance(value, execution.module.nn.Module):
            found |= {f"{name}.{inner}": each for inner, each in value.named_parameters()}
    return found


def move_results(execution: Execution, names: list[str], moves: random.Random) -> None:
    """Moves the tensors of these names; numbers with few digits are exact and stay as they are."""
    torch, found = execution.module, tensors(execution)
    for data in [found[name].data for name in names]:
        unit = UNIT.get(str(data.dtype).rpartition(".")[2])
        if unit is None or is_expanded(data) or data.is_conj():
            continue
        parts = torch.view_as_real(data) if data.is_complex() else data
        sizes = parts.abs()
        # a sum is off by units of its largest term
        largest = sizes[sizes.isfinite()].max() if sizes.isfinite().any() else 0.0
        signs = torch.tensor([moves.choice((-1, 0, 1)) for _ in range(parts.numel())], dtype=torch.float64)
        exact = (torch.frexp(sizes.double()).mantissa * EXACT).frac() == 0
        parts.add_(torch.where(exact, 0.0, largest * unit * signs.reshape(parts.shape)))


def is_expanded(tensor: Any) -> bool:
    """Whether several of its elements lie in one place."""
    return any(size > 1 and not step for size, step in zip(tensor.shape, tensor.stride(), strict=True))


def distance(one: Any, two: Any) -> float:
    """The largest distance between two records of numbers; infinite where they cannot be compared."""
    if isinstance(one, Shown) and isinstance(two, Shown):
        one, two = one.values, two.values
    if not all(isinstance(each, (float, np.ndarray)) for each in (one, two)) or np.shape(one) != np.shape(two):
        return np.inf
    one, two = np.asarray(one), np.asarray(two)
    known = np.isfinite(one)
    if one.dtype.kind not in "fc" or not np.array_equal(one[~known], two[~known], equal_nan=True):
        return np.inf
    return float(np.abs(one[known] - two[known]).max(initial=0.0))
