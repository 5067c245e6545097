"""Targets of value functions: bootstrapped values, and the networks that they come from."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.ancestry import Ancestry, ancestry_of, counted, leaf_tensors
from rushlight.doctor.catalogue import check
from rushlight.doctor.events import Call, Finished, Loaded, Stepped
from rushlight.doctor.finding import ERROR, WARNING, Finding
from rushlight.doctor.names import listed, user_frames, variables_of
from rushlight.doctor.paths import VIEWS, behind, producer
from rushlight.doctor.places import same_line
from rushlight.doctor.sources import place_of_line
from rushlight.doctor.statements import assignment_between, names_of_update, time_limits_in
from rushlight.doctor.trace import Record

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

DISTANCES = {"mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss"}
POWERS = {"pow", "square", "abs"}
# what a target may be put together by
JOINED = VIEWS | {"stack", "cat", "__getitem__", "where", "__setitem_", "hstack", "vstack", "clamp", "concat", "select"}
COPIES = {"clone", "__deepcopy__"}
WRITES = ("copy_", "lerp_", "data_", "add_")


@check("rl-target-not-detached", tier=1, severity=WARNING, on=Stepped)
def rl_target_not_detached(watch: Watch, event: Stepped) -> Iterator[Finding]:
    """The target of a value function has a history, so the gradient also moves the target towards the prediction."""
    for backward in counted(watch, event):
        ancestry = ancestry_of(watch, backward)
        for one, other in differences_in(ancestry):
            targets = bootstrapped(one), bootstrapped(other)
            if (targets[0] is None) == (targets[1] is None):
                continue
            target, predicted = (targets[0], other) if targets[0] is not None else (targets[1], one)
            if target is None or not ancestry.leaves(target) & ancestry.leaves(predicted):
                continue
            if any(each is predicted for each in behind(target, 2000)):
                # made of the prediction itself, as a running mean is: no value of what comes next
                continue
            if any(each.name == "grad" for side in (target, predicted) for each in behind(side, 2000)):
                # the residual of an equation, not of a Bellman equation
                continue
            yield Finding(
                "The gradient also flows through the target of this value function.",
                "Compute the target under `with torch.no_grad():`, or write `target.detach()`.",
                target.place,
                watch.names.all(leaf_tensors(target)),
                related=[("the prediction", predicted.place)],
            )


def differences_in(ancestry: Ancestry) -> Iterator[tuple[Record, Record]]:
    """The two sides of each distance in a loss, where both have a history."""
    for each in ancestry.named(DISTANCES):
        sides = each.inputs[:2]
        if len(sides) == 2 and sides[0].live and sides[1].live:
            yield sides
        else:
            yield from difference(next((one for one in sides if one.live), each))
    for each in ancestry.named(POWERS):
        for one in each.inputs[:1]:
            yield from difference(one)
    for each in ancestry.named({"mul"}):
        if len(each.inputs) == 2 and each.inputs[0] is each.inputs[1]:
            yield from difference(each.inputs[0])


def difference(record: Record) -> Iterator[tuple[Record, Record]]:
    """`target - value`, behind views, lists and means."""
    seen: set[int] = set()
    stack = [record]
    while stack:
        each = stack.pop()
        if each.number in seen or not each.live:
            continue
        seen.add(each.number)
        if each.name in ("sub", "rsub") and len(each.inputs) == 2:
            if each.inputs[0].live and each.inputs[1].live:
                yield each.inputs[0], each.inputs[1]
        elif each.name in JOINED:
            stack.extend(each.inputs)


def bootstrapped(record: Record) -> Record | None:
    """The sum `reward + discount * value` in a side of a difference, if it is one."""
    seen: set[int] = set()
    stack = [record]
    while stack:
        each = stack.pop()
        if each.number in seen or not each.live:
            continue
        seen.add(each.number)
        if each.name in JOINED:
            stack.extend(each.inputs)
        elif each.name in ("add", "add_") and is_bootstrap(each):
            return each
    return None


def is_bootstrap(total: Record) -> bool:
    """`constant + constant * value`."""
    live = [each for each in total.inputs if each.live]
    if len(live) != 1 or (len(total.inputs) == 1 and total.factor is None):
        return False
    if len(total.inputs) == 2 and total.factor is not None:
        # the discount may be given as alpha
        return True
    scaled = producer(live[0])
    return scaled.name in ("mul", "mul_", "div") and sum(each.live for each in scaled.inputs) == 1


@check("rl-target-in-optimizer", tier=1, severity=ERROR, on=(Loaded, Call, Stepped), names=WRITES)
def rl_target_in_optimizer(watch: Watch, event: Loaded | Call | Stepped) -> Iterator[Finding]:
    """An optimizer also moves a target network, which should only follow another one."""
    memory = watch.memory["rl-target-in-optimizer"]
    followers: dict[int, tuple[weakref.ref, int]] = memory.setdefault("followers", {})
    if not isinstance(event, Stepped):
        # before the first step a copy only gives two networks the same start
        if watch.steps:
            for target, source in copies_in(watch, event):
                if target is not source:
                    followers[id(target)] = weakref.ref(target), id(source)
        return
    if not followers:
        return
    owned = {id(each) for each in event.optimizer.parameters}
    held = [target() for key, (target, source) in followers.items() if key in owned and source in owned]
    moved = [each for each in held if each is not None and each.requires_grad]
    if moved:
        names = watch.names.all(moved)
        harmless = all(each._grad is None for each in moved)
        yield Finding(
            f"{listed(names)} follows another network that this optimizer trains, and is in the optimizer as well.",
            "Give the optimizer only the network that learns: `Adam(online.parameters())`.",
            event.optimizer.place,
            names,
            severity=WARNING if harmless else "",
            related=[("the step", event.place)],
        )


def copies_in(watch: Watch, event: Loaded | Call) -> Iterator[tuple[Tensor, Tensor]]:
    """The parameters that are written to, each with the parameter whose values it takes; it may be the same one."""
    places = parameters_by_memory(watch)
    if isinstance(event, Loaded):
        if not hasattr(event.target, "named_parameters") or not isinstance(event.state, dict):
            return
        for name, target in event.target.named_parameters():
            source = event.state.get(name)
            if isinstance(source, Tensor):
                # what is mixed from several is made of each of them
                made = [each.tensor() for each in behind(watch.trace.of(source), 20) if each.tensor is not None]
                found = [places.get(address(each)) for each in made if each is not None]
                yield from ((target, each) for each in found if each is not None)
    else:
        target = written_to(watch, event)
        if target is not None:
            for source in sources_of(event, places):
                if source is not target:
                    yield target, source


def written_to(watch: Watch, event: Call) -> Tensor | None:
    """The parameter that a call writes to, also through `.data` or a view."""
    given = event.args[0]
    life = watch.lives.parameters.get(id(given))
    known = None if life is None else life.ref()
    return known if known is given else parameters_by_memory(watch).get(address(given))


def sources_of(event: Call, places: dict[int, Tensor]) -> list[Tensor]:
    """The parameters from whose values a write takes what it writes."""
    found = []
    for each in event.records[1:]:
        # a step along a gradient follows no network
        for one in behind(each, 50, until="grad"):
            tensor = None if one.tensor is None else one.tensor()
            parameter = None if tensor is None else places.get(address(tensor))
            if one.name == "leaf" and parameter is not None and not one.inputs:
                found.append(parameter)
    return found


def address(tensor: Tensor) -> int:
    return tensor._array.__array_interface__["data"][0]


def parameters_by_memory(watch: Watch) -> dict[int, Tensor]:
    """Every parameter of a living optimizer or module, by where its values lie."""
    memory = watch.memory["targets"]
    if memory.get("step") != watch.steps or memory.get("count") != len(watch.lives.parameters):
        memory["step"], memory["count"] = watch.steps, len(watch.lives.parameters)
        found = [life.ref() for life in watch.lives.parameters.values()]
        memory["places"] = {address(each): each for each in found if each is not None and each._array.size}
    places: dict[int, Tensor] = memory["places"]
    return places


@check("rl-target-alias", tier=1, severity=ERROR, on=(Loaded, Call), names=WRITES)
def rl_target_alias(watch: Watch, event: Loaded | Call) -> Iterator[Finding]:
    """The target network is the very network that it should follow at a distance."""
    if isinstance(event, Loaded):
        if not is_load_of_itself(watch, event):
            return
        network = event.target
    else:
        if not is_update_by_itself(watch, event):
            return
        network = network_of(watch, written_to(watch, event))
    written = names_of_update(event.place)
    # a network may load what it gave itself, and a state that was kept is another mistake
    if (written is None and not is_mixed(watch, event)) or (written is not None and written[0] == written[1]):
        return
    names = {name for each in (written or ()) for name in [each.rsplit(".", 1)[-1]]} | names_of(network)
    made = None if event.place is None else assignment_between(event.place[0].co_filename, names)
    one, other = written or ("The target network", "the network that it follows")
    if made is not None:
        one, other = made[1:]
    yield Finding(
        f"{one} is {other}: both names are one network, and the target moves with every step.",
        f"Make a copy: `{one} = copy.deepcopy({other})`." if made else "Make a copy: `copy.deepcopy(network)`.",
        event.place if made is None or event.place is None else place_of_line(event.place[0].co_filename, made[0]),
        related=[("the update of the target", event.place)],
        key="alias" if network is None else id(network),
    )


def network_of(watch: Watch, parameter: Tensor | None) -> Any:
    """The outermost module that has a parameter."""
    for root in watch.names.roots():
        if any(each is parameter for each in root.parameters()):
            return root
    return None


def names_of(network: Any) -> set[str]:
    """What the program calls an object, in the functions that are running and in what they hold."""
    found: set[str] = set()
    for frame in user_frames():
        for held in variables_of(frame):
            for name, value in list(held.items()):
                if value is network:
                    found.add(name)
                fields = {} if isinstance(value, (Tensor, type)) else getattr(value, "__dict__", None)
                if isinstance(fields, dict) and type(value).__name__ != "module":
                    modules = fields.get("_modules")
                    inside = [*fields.items(), *(modules.items() if isinstance(modules, dict) else ())]
                    found.update(key for key, each in inside if each is network and network is not None)
    return found


def is_update_by_itself(watch: Watch, event: Call) -> bool:
    """Whether a soft or hard update writes a parameter's own values into it."""
    target = written_to(watch, event)
    if target is None or len(event.args) < 2 or not isinstance(event.args[1], Tensor):
        return False
    if event.args[1]._array.shape != target._array.shape:
        return False
    if event.name != "data_" and address(event.args[1]) == address(target):
        if event.name == "add_":
            return completes(watch, event.record.factor or 0.0)
        # values of its own that were kept on another line are another mistake
        source = event.records[1]
        return source.place is None or source.name == "leaf" or same_line(source.place, event.place)
    if event.name == "add_":
        return completes(watch, scale_of(event.records[1], target))
    return is_mix(event.records[1], target)


def is_load_of_itself(watch: Watch, event: Loaded) -> bool:
    """Whether a module loads the very values that it has, or a mix of them with themselves."""
    pairs = list(copies_in(watch, event))
    if not pairs or any(target is not source for target, source in pairs):
        return False
    # a step back towards weights that were copied before, as in Reptile, mixes two networks
    states = [each for each in event.state.values() if isinstance(each, Tensor)]
    return not any(one.name in COPIES for each in states for one in behind(watch.trace.of(each), 20))


def is_mixed(watch: Watch, event: Loaded | Call) -> bool:
    """Whether values are written that were mixed from two before: nothing but an update of a target does so."""
    if isinstance(event, Call):
        return event.records[1].name == "add"
    states = [each for each in event.state.values() if isinstance(each, Tensor)]
    return any(watch.trace.of(each).name == "add" for each in states)


def is_mix(total: Record, parameter: Tensor) -> bool:
    """Whether a value is `tau * p + (1 - tau) * p` of one parameter."""
    parts = [scale_of(each, parameter) for each in total.inputs]
    return total.name == "add" and len(parts) == 2 and 0 not in parts and abs(sum(parts) - 1) < 1e-6


def completes(watch: Watch, scale: float) -> bool:
    """Whether a `mul_` has just made room for what is added with this scale."""
    scaled = [each for each in watch.trace.current[-8:] if each.name == "mul_" and each.factor is not None]
    return scale > 0 and bool(scaled) and abs((scaled[-1].factor or 0.0) + scale - 1) < 1e-6


def scale_of(record: Record, parameter: Tensor) -> float:
    """The number by which a parameter's own values were multiplied; 0 where they were not."""
    if record.name != "mul" or record.factor is None or not record.inputs:
        return 0.0
    source = producer(record.inputs[0])
    tensor = None if source.tensor is None else source.tensor()
    while tensor is None and source.inputs:
        source = source.inputs[0]
        tensor = None if source.tensor is None else source.tensor()
    return record.factor if tensor is not None and address(tensor) == address(parameter) else 0.0


@check("rl-truncation-as-termination", tier=3, severity=WARNING, on=(Stepped, Finished))
def rl_truncation_as_termination(watch: Watch, event: Stepped | Finished) -> Iterator[Finding]:
    """An episode that was cut off by a time limit counts as ended, and its future as worth nothing."""
    files: set[str] = watch.memory["rl-truncation-as-termination"].setdefault("files", set())
    if isinstance(event, Stepped):
        if event.optimizer.steps <= 3:
            files.update(frame.f_code.co_filename for frame in user_frames())
        return
    for filename in sorted(files):
        for found in time_limits_in(filename):
            yield Finding(
                f"`{found.name}` is also true where the time was up: the value of what follows then counts as nothing.",
                f"Use `{found.terminated}` where values are bootstrapped, and `{found.name}` only to start anew.",
                place_of_line(filename, found.joined),
                related=[("the bootstrap", place_of_line(filename, found.used))],
                sure="a guess",
            )
