"""Shown signatures: what `inspect.signature` and the type stubs say of an op, as a function and as a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

EMPTY = Parameter.empty


class ShownSignature(Signature):
    """A signature that is put together when it is looked at: for all ops that would be a third of the import."""

    __slots__ = ("form", "found", "op")
    _return_annotation = EMPTY

    def __init__(self, op: Any, form: Callable[[Any], list[Parameter]]):
        self.op = op
        self.form = form
        self.found: Mapping[str, Parameter] | None = None

    @property
    def _parameters(self) -> Mapping[str, Parameter]:
        if self.found is None:
            self.found = Signature(self.form(self.op)).parameters
        return self.found

    def replace(self, *, parameters: Any = None, return_annotation: Any = EMPTY) -> Signature:
        """An ordinary signature with other parameters."""
        chosen = list(self._parameters.values()) if parameters is None else parameters
        return Signature(chosen, return_annotation=return_annotation)

    def __reduce__(self) -> tuple:
        return Signature, (list(self._parameters.values()),)


def late_parameters(declared: Callable[[], Callable]) -> list[Parameter]:
    """The parameters of a method that is declared late, as `declared` finds it."""
    return list(signature(declared()).parameters.values())


def function_parameters(op: Op, one_by_one: bool = False) -> list[Parameter]:
    """The parameters of an op as a function; sizes are one sequence, or given one by one."""
    declared = [each.replace(annotation=EMPTY) for each in signature(op.body).parameters.values()]
    notes = op.body.__annotations__
    names = {each.name for each in declared}
    found: list[Parameter] = []
    for each in declared:
        if each.kind is Parameter.VAR_POSITIONAL and each.name[:-1] in names:
            # `*shape_, shape=None` in the body of what torch calls with `*shape` or `shape=`
            found.append(sizes(each.name[:-1], one_by_one))
            names.discard(each.name[:-1])
        elif str(notes.get(each.name)).strip("'") == "Size":
            found.append(sizes(each.name, one_by_one))
        elif each.name in names:
            found.append(each)
    return in_order(found)


def method_parameters(op: Op) -> list[Parameter]:
    """The parameters of an op as a method, or of its in-place form."""
    first, *rest = function_parameters(op, one_by_one=True)
    return [first.replace(name="self", default=EMPTY), *(each for each in rest if each.name != "out")]


def sizes(name: str, one_by_one: bool) -> Parameter:
    return Parameter(name, Parameter.VAR_POSITIONAL if one_by_one else Parameter.POSITIONAL_OR_KEYWORD)


def in_order(parameters: list[Parameter]) -> list[Parameter]:
    """What follows sizes that are given one by one can be given by name only."""
    found: list[Parameter] = []
    many = False
    for each in parameters:
        if many and each.kind is Parameter.POSITIONAL_OR_KEYWORD:
            each = each.replace(kind=Parameter.KEYWORD_ONLY)
        many = many or each.kind is Parameter.VAR_POSITIONAL
        found.append(each)
    return found
