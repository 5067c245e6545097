"""Types in words of the stubs: of a parameter, from its default, its samples and its name; of a result."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

from rushlight.ops.machine.declare import Op
from tools.stubs.by_hand import BY_NAME, BY_PLACE, EACH_DIM, NUMBERS, PAIRS, RESULTS, UNSEEN
from tools.stubs.seen import Seen

# from the narrowest to the widest: a wider one says the others as well
NUMERIC = {"bool": "_bool", "int": "_int", "float": "_float", "complex": "_float | _complex"}
WORDS = {"str": "str", "Tensor": "Tensor", "dtype": "_dtype", "Size": "Size"}


def parameter_type(op: Op, seen: Seen, parameter: Parameter) -> str:
    """The type of a parameter, with None where that is its default."""
    found = found_type(op, seen, parameter)
    return f"{found} | None" if parameter.default is None and "None" not in found and found != "Device" else found


def found_type(op: Op, seen: Seen, parameter: Parameter) -> str:
    name, default = parameter.name, parameter.default
    place = f"{op.name}.{name}"
    if place in BY_PLACE:
        return BY_PLACE[place]
    found = set(seen.arguments.get(name, ())) or set(seen.arguments.get(name + "_", ()))
    note = str(op.body.__annotations__.get(name, "")).strip("'")
    found |= {each for each in ("Tensor", "int", "float", "bool", "str") if each in note.replace("list[Tensor]", "")}
    found |= {"[Tensor]"} if "list[Tensor]" in note else set()
    found |= {"[int]"} if "tuple" in note or name in EACH_DIM else set()
    found |= kinds_of_default(default)
    if name == "out":
        return "Sequence[Tensor] | None" if len(result_fields(seen)) > 1 else "Tensor | None"
    if not found - {"None"} and default is Parameter.empty and name not in BY_NAME:
        found.add("Tensor")
    if name in NUMBERS and found & {"int", "float"}:
        found |= {"float"}
    if name in UNSEEN and not found - {"None"}:
        return UNSEEN[name]
    text = union(found, is_operand=name in ("other", "exponent", "value", *NUMBERS))
    return BY_NAME.get(name) or text or "Any"


def kinds_of_default(default: Any) -> set[str]:
    """What the default is: `(-2, -1)` is a sequence of integers."""
    if default is Parameter.empty:
        return set()
    if default is None:
        return {"None"}
    if isinstance(default, tuple):
        return {"[int]"}
    return {type(default).__name__}


def union(found: set[str], is_operand: bool = False) -> str:
    """The kinds as one type, tensors first, None last."""
    inner = {each[1:-1] for each in found if each.startswith("[")}
    parts = ["Tensor"] if "Tensor" in found else []
    widest = [each for each in NUMERIC if each in found][-1:]
    if is_operand and "Tensor" in found and widest:
        parts.append("Number | _complex")
    elif is_operand and widest in (["float"], ["complex"]):
        parts.append("Number")
    else:
        parts += [NUMERIC[each] for each in widest]
    parts += [WORDS[each] for each in sorted(found - {"Tensor"}) if each in WORDS]
    if inner:
        whole = union(inner)
        parts.append(f"Sequence[{whole}]")
    return " | ".join(parts + (["None"] if "None" in found else []))


def result_fields(seen: Seen) -> list[str]:
    """The names of several results, or none."""
    named = [each for each in seen.results if each.startswith("named")]
    return named[0].split()[1:] if named else []


def result_type(op: Op, seen: Seen) -> str:
    """The type of what an op returns."""
    if op.name in RESULTS:
        return RESULTS[op.name]
    if op.name in PAIRS:
        return f"tuple[{', '.join(['Tensor'] * PAIRS[op.name])}]"
    if op.name.endswith("_with_indices"):
        return "tuple[Tensor, Tensor]"
    if result_fields(seen):
        return f"results.{op.name.replace('.', '_')}"
    if "sequence" in seen.results:
        return "tuple[Tensor, ...]"
    return "_bool" if seen.results == {"bool"} else "Tensor"
