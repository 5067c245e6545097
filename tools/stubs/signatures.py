"""Signatures in a stub: an op as a function, a method or an in-place method, and functions that are no ops."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import Parameter

from rushlight.ops.machine.declare import Op
from rushlight.ops.machine.shown import function_parameters, method_parameters
from tools.stubs.by_hand import METHODS, OVERLOADS
from tools.stubs.seen import Seen
from tools.stubs.types_of import parameter_type, result_type

SEEN: dict[str, Seen] = {}


def seen_of(op: Op) -> Seen:
    if op.name not in SEEN:
        SEEN[op.name] = Seen(op)
    return SEEN[op.name]


def function_stub(op: Op, name: str, inplace: bool = False) -> list[str]:
    """The lines for an op as a function, or for the in-place form of one."""
    if op.name in OVERLOADS and not inplace:
        return overloads(name, OVERLOADS[op.name].format(first="input: Tensor", name=op.name))
    return stub_of(op, name, function_parameters(op), inplace)


def method_stub(op: Op, name: str, inplace: bool = False) -> list[str]:
    """The lines for an op as a method, each after four spaces."""
    if inplace:
        lines = stub_of(op, name, method_parameters(op), inplace)
    elif op.name in METHODS:
        lines = overloads(name, METHODS[op.name])
    elif op.name in OVERLOADS:
        text = OVERLOADS[op.name].format(first="self", name=op.name)
        lines = overloads(name, "\n".join(line for line in text.split("\n") if line.startswith("(self")))
    else:
        lines = stub_of(op, name, method_parameters(op), inplace)
    return ["    " + line for line in lines]


def stub_of(op: Op, name: str, parameters: list[Parameter], inplace: bool) -> list[str]:
    """One line, or two for what takes sizes one by one or as a sequence."""
    result = "Tensor" if inplace else result_type(op, seen_of(op))
    typed = [(each, parameter_type(op, seen_of(op), each)) for each in parameters if each.name != "_stacklevel"]
    many = [place for place, each in enumerate(parameters) if each.kind is Parameter.VAR_POSITIONAL]
    if not many or parameters[0].name != "self":
        return [line(name, typed, result)]
    each, kind = typed[many[0]]
    one = kind.partition(" | ")[0] if "Sequence" in kind else kind
    one = "_int" if one.startswith("Sequence") else one
    several = list(typed)
    typed[many[0]] = (each, one)
    several[many[0]] = (each.replace(kind=Parameter.POSITIONAL_OR_KEYWORD), f"Sequence[{one}]")
    return overloads(name, "\n".join(line("", shown, result)[4:-5] for shown in (typed, several)))


def line(name: str, typed: Iterable[tuple[Parameter, str]], result: str) -> str:
    """`def name(parameters) -> result: ...`"""
    shown, by_name = [], False
    for each, kind in typed:
        if each.kind is Parameter.KEYWORD_ONLY and not by_name:
            shown.append("*")
        by_name = by_name or each.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
        shown.append(shown_parameter(each, kind))
    return f"def {name}({', '.join(shown)}) -> {result}: ..."


def shown_parameter(parameter: Parameter, kind: str) -> str:
    stars = {Parameter.VAR_POSITIONAL: "*", Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if parameter.name == "self":
        return "self"
    default = "" if parameter.default is Parameter.empty else f" = {parameter.default!r}"
    return f"{stars}{parameter.name}: {kind}{default}"


def overloads(name: str, text: str) -> list[str]:
    """Lines for several signatures, each a line of the text."""
    chosen = [each for each in text.strip().split("\n") if each]
    if len(chosen) == 1:
        return [f"def {name}{chosen[0]}: ..."]
    return [part for each in chosen for part in ("@overload", f"def {name}{each}: ...")]
