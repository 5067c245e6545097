"""Programs: drawn statement by statement from a family of grammars, while a leading library runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from conformance.programs.execution import TOO_SLOW, Execution
from conformance.programs.grammars import FAMILIES
from conformance.programs.scope import Scope


class Program(NamedTuple):
    """The text of a program and what it was drawn from."""

    family: str
    seed: int
    statements: list[str]

    def __str__(self) -> str:
        return "\n".join([f"# {self.family} {self.seed}", *self.statements])


def generate(family: str, seed: int, leader: str) -> Program:
    """The program of this number; the same for a leader that answers the same."""
    execution = Execution(leader, seed)
    scope = Scope(f"{family} {seed}", execution.namespace)
    begin, grammars, weights = FAMILIES[family]
    statements: list[str] = []
    for _ in range(scope.integer(2, 4)):
        add(execution, statements, scope, begin)
    for _ in range(scope.integer(5, 36)):
        if not add(execution, statements, scope, scope.random.choices(grammars, weights)[0]):
            break
    return Program(family, seed, statements)


def add(execution: Execution, statements: list[str], scope: Scope, grammar: Callable[[Scope], str | None]) -> bool:
    """Draws one statement and runs it, so that the next ones know what there is; False where it does not end."""
    statement = grammar(scope)
    if statement is None:
        return True
    failed = execution.run(statement)
    if failed is not None and failed.kind == TOO_SLOW:
        return False
    statements.append(statement)
    return True
