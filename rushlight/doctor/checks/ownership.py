"""Ownership: parameters that learn but that no optimizer has, and optimizers that hold what is gone."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.catalogue import check
from rushlight.doctor.checksums import checksum
from rushlight.doctor.events import Assigned, Call, Finished, Stepped
from rushlight.doctor.finding import ERROR, WARNING, Finding
from rushlight.doctor.lives import OptimizerLife, ParameterLife, differs
from rushlight.doctor.names import listed
from rushlight.doctor.observer.memory import DataCount
from rushlight.doctor.places import line_of
from rushlight.doctor.trace import is_leaf
from rushlight.errors.location import Location
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

# steps in which a parameter has to get a gradient before anything is said of it
OFTEN = 3


class Suspect:
    """A leaf that gets gradients, and that no optimizer has."""

    def __init__(self, life: ParameterLife, tensor: Tensor):
        self.life = life
        self.reached = life.reached
        self.steps = 0
        self.first_value = checksum(tensor._array)
        self.name = ""
        self.holder: OptimizerLife | None = None
        # how many of the parameters of its module the optimizer has, and how many there are
        self.share: tuple[int, int] | None = None

    def has_changed(self) -> bool:
        return differs(self.life.ref, self.first_value)


@check("optim-missing-param", tier=1, severity=WARNING, on=(Stepped, Call, Finished), names={"copy_"})
def optim_missing_param(watch: Watch, event: Stepped | Call | Finished) -> Iterator[Finding]:
    """A parameter gets gradients, but no optimizer has it."""
    suspects: dict[int, Suspect] = watch.memory["optim-missing-param"].setdefault("suspects", {})
    if isinstance(event, Call):
        note_copy(watch, event)
    elif isinstance(event, Stepped):
        look_for_unowned(watch, event, suspects)
    else:
        yield from missing(watch, suspects)


def note_copy(watch: Watch, event: Call) -> None:
    """`p.copy_(values)` and `p.data.copy_(values)` bring values from elsewhere."""
    target: Any = event.args[0]
    shared = None if target._storage is None else target._storage.shared
    if isinstance(shared, DataCount):
        target = shared.origin()
    if target is not None and is_leaf(target):
        watch.lives.of_parameter(target).was_loaded = True


def look_for_unowned(watch: Watch, event: Stepped, suspects: dict[int, Suspect]) -> None:
    for key, life in list(watch.lives.unowned.items()):
        tensor = life.ref()
        if tensor is None or life.owned or life.was_loaded or life.moved:
            del watch.lives.unowned[key]
            if tensor is not None:
                suspects.pop(key, None)
            continue
        suspect = suspects.get(key)
        if suspect is None or suspect.life is not life:
            if is_meant_to_learn(event.optimizer, tensor, life):
                suspects[key] = Suspect(life, tensor)
        elif life.reached > suspect.reached:
            suspect.reached, suspect.steps = life.reached, suspect.steps + 1
            if suspect.steps == OFTEN - 1:
                describe(watch, event.optimizer, suspect, tensor)
            if suspect.has_changed():
                life.moved += 1


def is_meant_to_learn(optimizer: OptimizerLife, tensor: Tensor, life: ParameterLife) -> bool:
    """A parameter beside parameters; a plain leaf beside plain ones, or a single number such as a temperature."""
    if isinstance(tensor, Parameter):
        # an optimizer of images or attacks leaves the network alone
        return any(isinstance(each, Parameter) for each in optimizer.parameters)
    beside = any(not isinstance(each, Parameter) for each in optimizer.parameters)
    return life.when_read is None and (tensor.numel() == 1 or beside)


def describe(watch: Watch, optimizer: OptimizerLife, suspect: Suspect, tensor: Tensor) -> None:
    """Its name, while the program's variables are in sight, and the optimizer that should have it."""
    suspect.name, suspect.holder = watch.names.of(tensor), optimizer
    for root in watch.names.roots():
        own = list(root.parameters())
        if not any(each is tensor for each in own):
            continue
        for life in watch.lives.optimizers:
            held = {id(each) for each in life.parameters}
            count = sum(id(each) in held for each in own)
            if count and life.place is not None:
                suspect.holder, suspect.share = life, (count, len(own))
                return


def missing(watch: Watch, suspects: dict[int, Suspect]) -> Iterator[Finding]:
    explained = watch.memory["optim-stale-param"].get("new", {})
    groups: dict[int, list[Suspect]] = {}
    for key, each in suspects.items():
        hidden = watch.memory["explained"].get(key)
        told = key in explained and explained[key]() is each.life.ref()
        told = told or (hidden is not None and hidden() is each.life.ref())
        if each.holder is None or each.life.owned or each.life.was_loaded or each.life.moved or told:
            continue
        if not each.has_changed():
            groups.setdefault(id(each.holder), []).append(each)
    for found in groups.values():
        holder, share = found[0].holder, found[0].share
        names = [each.name for each in found]
        assert holder is not None
        has = "" if share is None else f" This {holder.kind} has {share[0]} of {share[1]} parameters."
        yield Finding(
            f"{listed(names)} get{'s' * (len(names) == 1)} a gradient at every step, but no optimizer has "
            f"{'it' if len(names) == 1 else 'them'}.{has}",
            f"Add {'it' if len(names) == 1 else 'them'}: `{holder.kind}([*model.parameters(), {names[0]}], ...)`; "
            "or freeze with `requires_grad_(False)`.",
            holder.place,
            names,
            related=[("made here", each.life.place) for each in found[:2]],
            sure="likely",
        )


@check("optim-stale-param", tier=1, severity=ERROR, on=(Assigned, Stepped), wait=3)
def optim_stale_param(watch: Watch, event: Assigned | Stepped) -> Iterator[Finding]:
    """The optimizer holds parameters of a layer or model that was replaced after it was made."""
    memory = watch.memory["optim-stale-param"]
    if isinstance(event, Stepped):
        yield from replaced(watch, event, memory)
        yield from strangers_instead(watch, event, memory)
    elif isinstance(event.before, (Module, Parameter)):
        note_replacement(watch, event, memory)


def parameters_of(value: Any) -> Iterable[Tensor]:
    if isinstance(value, Module):
        return list(value.parameters())
    return [value] if isinstance(value, Parameter) else []


def note_replacement(watch: Watch, event: Assigned, memory: dict) -> None:
    """A layer that an optimizer has is replaced."""
    now = {id(each) for each in parameters_of(event.value)}
    for each in parameters_of(event.before):
        if id(each) not in now and watch.lives.of_parameter(each).owned:
            path = ".".join([watch.names.of_module(event.module), event.name])
            memory.setdefault("old", {})[id(each)] = weakref.ref(each), path, event.place
            for one in parameters_of(event.value):
                memory.setdefault("new", {})[id(one)] = weakref.ref(one)


def replaced(watch: Watch, event: Stepped, memory: dict) -> Iterator[Finding]:
    """Parameters of the optimizer that were replaced and get no gradient any more, by the line of the replacement."""
    old = memory.get("old")
    if not old or not watch.recent:
        return
    reached = {id(leaf) for each in watch.recent for leaf in each.leaves}
    found: dict[tuple, tuple[str, Location | None, list[Tensor]]] = {}
    for each in event.optimizer.parameters:
        known = old.get(id(each))
        if known is not None and known[0]() is each and id(each) not in reached:
            place = known[2]
            key = () if place is None else line_of(place)
            found.setdefault(key, (known[1], place, []))[2].append(each)
    for path, place, parameters in found.values():
        yield Finding(
            f"`{path}` is replaced here, after the {event.optimizer.kind} was made: it still holds "
            f"{len(parameters)} old parameters, and the new ones never move.",
            "Make the optimizer after the last change of the model, or `optimizer.add_param_group(...)`.",
            place,
            [path],
            related=[("the optimizer", event.optimizer.place)],
        )


def strangers_instead(watch: Watch, event: Stepped, memory: dict) -> Iterator[Finding]:
    """Parameters of the optimizer get no gradient, and others in their place do, which no optimizer has."""
    if not watch.recent:
        return
    strangers = {
        id(leaf): leaf
        for each in watch.recent
        for leaf in each.leaves
        if isinstance(leaf, Parameter) and not watch.lives.of_parameter(leaf).owned
    }
    if not strangers or not (is_other_model(event, list(strangers.values())) or has_orphans(watch, event)):
        return
    memory.setdefault("new", {}).update({key: weakref.ref(leaf) for key, leaf in strangers.items()})
    place = line_of_twin(watch, next(iter(strangers.values())))
    names = watch.names.all(list(strangers.values()))
    yield Finding(
        f"The {event.optimizer.kind} holds other parameters than those that get gradients: {listed(names)} were made "
        "here, after it.",
        "Make the optimizer after the model that is trained: `optimizer = Adam(model.parameters())`.",
        place,
        names,
        related=[("the optimizer", event.optimizer.place)],
    )


def is_other_model(event: Stepped, strangers: list[Tensor]) -> bool:
    """Whether none of the optimizer's parameters gets a gradient, and strangers have the same shapes."""
    shapes = [leaf._array.shape for leaf in strangers]
    own = [each for each in event.optimizer.parameters if each.requires_grad]
    if not own or event.backwards or any(each._grad is not None for each in own):
        return False
    return all(each._array.shape in shapes for each in own)


def has_orphans(watch: Watch, event: Stepped) -> bool:
    """Whether a parameter without gradient was in a module when the optimizer was made, and is in none now."""
    reached = {id(leaf) for each in watch.recent for leaf in each.leaves}
    return bool(watch.lives.orphans([each for each in event.optimizer.parameters if id(each) not in reached]))


def line_of_twin(watch: Watch, tensor: Tensor) -> Location | None:
    """Where the model of a parameter was made; of one that the optimizer knows, where the parameter was."""
    for root in watch.names.roots():
        own = list(root.parameters())
        if any(each is tensor for each in own) and not any(watch.lives.of_parameter(each).owned for each in own):
            place = watch.lives.of_module(root).place
            if place is not None:
                return place
    return watch.lives.of_parameter(tensor).place
