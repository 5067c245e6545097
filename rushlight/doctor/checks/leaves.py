"""Leaves: tensors that are no parameters although they should be, and attributes that tensors do not have."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.doctor import flow
from rushlight.doctor.catalogue import check
from rushlight.doctor.checks.parameters import computed_attributes, still_any
from rushlight.doctor.checksums import checksum
from rushlight.doctor.events import Assigned, AttributeSet, Finished, GradientRead, Raised, Stepped
from rushlight.doctor.finding import ERROR, WARNING, Finding
from rushlight.doctor.lost import is_without_history
from rushlight.doctor.names import variable
from rushlight.errors import location
from rushlight.errors.location import Location
from rushlight.errors.lost import leaves_behind

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

# what people call requires_grad, from other libraries or by a slip
MEANT_TO_FREEZE = {
    *("trainable", "learnable", "requires_gradient", "require_gradient", "needs_grad", "need_grad", "grad_required"),
    *("requiresgrad", "stop_gradient", "freeze", "frozen"),
}
OFTEN = 3


def distance(one: str, other: str) -> int:
    """How many letters have to be changed, added, taken or swapped with their neighbour."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def meant(name: str, value: Any) -> str | None:
    """The attribute that somebody meant who set another one."""
    if isinstance(value, bool):
        if name in MEANT_TO_FREEZE or 0 < distance(name.lower(), "requires_grad") <= 2:
            return "requires_grad"
    elif name != "grads" and len(name) in (4, 5) and distance(name, "grad") == 1:
        return "grad"
    return None


def is_read(place: Location | None, name: str) -> bool:
    """Whether the program reads an attribute of this name somewhere: then it is its own."""
    source = None if place is None else flow.source_of(place[0].co_filename)
    if source is None:
        return False
    nodes = [each for statement, _ in source.statements for each in flow.own_nodes(statement)]
    return any(
        (isinstance(each, ast.Attribute) and each.attr == name and not flow.is_bound(each))
        or (isinstance(each, ast.Constant) and each.value == name)
        for each in nodes
    )


@check("param-attr-typo", tier=1, severity=WARNING, on=(AttributeSet, Assigned))
def param_attr_typo(watch: Watch, event: AttributeSet | Assigned) -> Iterator[Finding]:
    """An attribute was set that does nothing; the one that is meant is spelled otherwise."""
    if isinstance(event, AttributeSet):
        wanted = (
            None if event.name == "requires_grad" or hasattr(Tensor, event.name) else meant(event.name, event.value)
        )
        if wanted is not None and not is_read(event.place, event.name):
            yield Finding(
                f"`{event.name}` does nothing: tensors have no such attribute.",
                f"Write `{wanted}`: `p.{wanted} = {event.value!r}`.",
                event.place,
            )
        return
    if not isinstance(event.value, bool) or hasattr(type(event.module), event.name):
        return
    exact = event.name == "requires_grad"
    if (exact or meant(event.name, event.value)) and is_set_from_outside(event):
        # a module may have an attribute of its own by that name, which its code then reads
        if not exact and is_read(event.place, event.name):
            return
        held = variable(event.module) or type(event.module).__name__
        yield Finding(
            f"`{event.name}` of a module does nothing: its parameters keep their own `requires_grad`.",
            f"Write `{held}.requires_grad_({event.value})`.",
            event.place,
        )


def is_set_from_outside(event: Assigned) -> bool:
    """Whether it is not a class that gives itself an attribute."""
    source = None if event.place is None else flow.source_of(event.place[0].co_filename)
    found = None if source is None or event.place is None else source.at(location.line_number(event.place))
    if found is None:
        return False
    targets = [each for each in flow.own_nodes(found[0]) if isinstance(each, ast.Attribute) and flow.is_bound(each)]
    return any(
        each.attr == event.name and not (isinstance(each.value, ast.Name) and each.value.id == "self")
        for each in targets
    )


class Reading:
    """The program read the gradient of a tensor that is no leaf, and got nothing."""

    def __init__(self, watch: Watch, event: GradientRead):
        record = watch.trace.of(event.tensor)
        self.made, self.place = record, event.place
        self.name = variable(event.tensor) or "the tensor"
        self.count = 1
        # a leaf that the program has a name for can be asked instead
        self.anonymous = all(variable(each) is None for each in leaves_behind([event.tensor]))


def nonleaf_finding(name: str, made: Any, related: list) -> Finding:
    text = made.name.strip("_")
    return Finding(
        f"`{name}` is the result of `{text}`, not a leaf: it gets no gradient of its own.",
        f"Make the leaf last: `{name} = (torch.randn(...) * 0.01).requires_grad_()`.",
        made.place,
        [name],
        related=related,
    )


@check("param-nonleaf", tier=1, severity=ERROR, on=(GradientRead, Stepped, Raised, Finished))
def param_nonleaf(watch: Watch, event: Any) -> Iterator[Finding]:
    """What is to be trained was computed from the leaf that gets the gradient: `randn(requires_grad=True) * 0.01`."""
    memory: dict[str, Any] = watch.memory["param-nonleaf"]
    if isinstance(event, GradientRead):
        note_reading(watch, event, memory)
    elif isinstance(event, Stepped):
        if event.optimizer.steps == OFTEN:
            yield from kept_by_modules(watch)
    elif isinstance(event, Raised) and "second time" in str(event.error):
        found = list(kept_by_modules(watch))
        memory["told"] = bool(found)
        yield from found
    elif isinstance(event, Raised) and event.call is not None and event.call[0] == "Optimizer":
        if "non-leaf" in str(event.error):
            for tensor in tensors_given(event.call[1], event.call[2]):
                if not tensor.is_leaf:
                    name = name_in_error(event.error, tensor) or "the tensor"
                    yield nonleaf_finding(name, watch.trace.of(tensor), [("the optimizer", event.place)])
                    return
    elif not watch.memory["param-rebound"].get("told"):
        reading = memory.get("reading")
        if reading is not None and (isinstance(event, Finished) or "NoneType" in str(event.error)):
            yield nonleaf_finding(reading.name, reading.made, [("its gradient was read here", reading.place)])


def kept_by_modules(watch: Watch) -> Iterator[Finding]:
    """`self.w = nn.Parameter(...) * 0.1`: the module keeps a result, and the Parameter has no name."""
    for holder, suspects in computed_attributes(watch):
        made = watch.trace.of(holder.value)
        finding = nonleaf_finding(f"self.{holder.name}", made, [])
        finding.fix = f"Make the Parameter last: `self.{holder.name} = nn.Parameter(torch.randn(...) * 0.01)`."
        finding.place = holder.place or made.place
        finding.still = still_any(suspects)
        yield finding


def note_reading(watch: Watch, event: GradientRead, memory: dict[str, Any]) -> None:
    tensor = event.tensor
    if event.gradient is not None or not tensor.requires_grad or tensor._base is not None:
        return
    if tensor.is_leaf or tensor.retains_grad or "reading" in memory or not watch.backwards:
        return
    reading = Reading(watch, event)
    if reading.anonymous and reading.made.place is not None and not rebinds(reading.made.place):
        memory["reading"] = reading


def tensors_given(args: tuple, kwargs: dict[str, Any]) -> list[Tensor]:
    given = args[0] if args else kwargs.get("params", ())
    listed = list(given) if isinstance(given, (list, tuple)) else []
    inside = [each["params"] if isinstance(each, dict) and "params" in each else [each] for each in listed]
    flat = [one for each in inside for one in ([each] if isinstance(each, Tensor) else list(each))]
    return [each for each in flat if isinstance(each, Tensor)]


def name_in_error(error: BaseException, tensor: Tensor) -> str | None:
    """What the program calls a tensor, from the frames that an error has left."""
    traceback = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        if not location.ours[frame.f_code.co_filename]:
            for name, each in list(frame.f_locals.items()):
                if each is tensor:
                    return name
        traceback = traceback.tb_next
    return None


def rebinds(place: Location) -> str | None:
    """The name that a line binds to a new tensor computed from the old one and its gradient: `w = w - lr * w.grad`."""
    source = flow.source_of(place[0].co_filename)
    found = None if source is None else source.at(location.line_number(place))
    if found is None or not isinstance(found[0], ast.Assign) or len(found[0].targets) != 1:
        return None
    target = ast.unparse(found[0].targets[0])
    value = ast.unparse(found[0].value)
    makes_leaf = "requires_grad" in value or "Parameter(" in value
    return None if makes_leaf or f"{target}.grad" not in value else target


class Rebinding:
    """A leaf whose gradient was used to bind its name to another tensor."""

    def __init__(self, event: GradientRead, name: str):
        self.place, self.name = event.place, name
        self.ref, self.first_value = weakref.ref(event.tensor), checksum(event.tensor._array)
        self.count = 0

    def is_unchanged(self) -> bool:
        tensor = self.ref()
        return tensor is not None and checksum(tensor._array) == self.first_value


@check("param-rebound", tier=1, severity=ERROR, on=(GradientRead, Raised, Finished))
def param_rebound(watch: Watch, event: GradientRead | Raised | Finished) -> Iterator[Finding]:
    """`w = w - lr * w.grad` makes a new tensor: the old leaf stays as it is, and the new one has no gradient."""
    memory = watch.memory["param-rebound"]
    if isinstance(event, GradientRead):
        note_rebinding(event, memory)
        return
    found = list(memory.get("lines", {}).values())
    if isinstance(event, Raised):
        error = str(event.error)
        found = found if "NoneType" in error or is_without_history(event) else []
    else:
        found = [each for each in found if each.count >= OFTEN and each.is_unchanged()]
    for each in found:
        memory["told"] = True
        yield Finding(
            f"This line binds `{each.name}` to a new tensor, computed from the old one: that stays as it is, and the "
            "new one is no leaf.",
            f"Change it in place: `with torch.no_grad(): {each.name} -= lr * {each.name}.grad`.",
            each.place,
            [each.name],
        )


def note_rebinding(event: GradientRead, memory: dict[Any, Any]) -> None:
    tensor = event.tensor
    if event.gradient is None or event.place is None or tensor._base is not None or not tensor.is_leaf:
        return
    known: dict[Any, str | None] = memory.setdefault("names", {})
    if event.place not in known:
        known[event.place] = rebinds(event.place)
    name = known[event.place]
    if name is not None:
        lines: dict[Any, Rebinding] = memory.setdefault("lines", {})
        each = lines.get(event.place)
        if each is None:
            each = lines[event.place] = Rebinding(event, name)
        if each.ref() is tensor:
            each.count += 1
