"""Parameters without a gradient, or with one that no optimizer sees: hidden, unused, made anew, frozen by mistake."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.catalogue import check
from rushlight.doctor.checksums import checksum
from rushlight.doctor.cuts import NUMBERS
from rushlight.doctor.events import Backward, ParameterMade, Raised, Stepped
from rushlight.doctor.finding import ERROR, WARNING, Finding
from rushlight.doctor.hidden import COMPUTED, CONTAINER, PLAIN, Holder, holder_of, layers_in
from rushlight.doctor.lives import OptimizerLife, ParameterLife, differs
from rushlight.doctor.lost import follows, is_of_a_package, is_without_history, losses_at, tensors_of
from rushlight.doctor.names import listed, variable
from rushlight.doctor.paths import behind, descendants
from rushlight.errors import location
from rushlight.errors.location import Location
from rushlight.nn.parameter import Parameter

if TYPE_CHECKING:
    from rushlight.doctor.trace import Record
    from rushlight.doctor.watch import Watch

# after so many steps without a gradient also a layer that is chosen now and then is told about
PATIENCE = 30


class Suspect:
    """A leaf of a module that gets gradients and that no optimizer has."""

    def __init__(self, watch: Watch, life: ParameterLife, tensor: Tensor):
        self.life = life
        self.first_value = checksum(tensor._array)
        self.holder = holder_of(watch, tensor)

    def still(self) -> bool:
        """Whether it waits in vain: no optimizer takes it, nobody trained it before, and nothing moves it."""
        life = self.life
        return not (life.owned or life.was_loaded or life.moved) and not differs(life.ref, self.first_value)


def hidden(watch: Watch, way: str) -> Iterator[tuple[Holder, list[Suspect]]]:
    """Hidden leaves that the last backwards reached, together with those that the same attribute hides."""
    known: dict[int, Suspect] = watch.memory["hidden"].setdefault("suspects", {})
    groups: dict[tuple, tuple[Holder, list[Suspect]]] = {}
    for key, life in list(watch.lives.unowned.items()):
        tensor = life.ref()
        if tensor is None:
            continue
        suspect = known.get(key)
        if suspect is None or suspect.life is not life:
            suspect = known[key] = Suspect(watch, life, tensor)
        holder = suspect.holder
        if holder is not None and holder.way == way and suspect.still() and holder.module.training:
            watch.memory["explained"][key] = weakref.ref(tensor)
            groups.setdefault((id(holder.module), holder.name), (holder, []))[1].append(suspect)
    yield from groups.values()


def still_any(suspects: list[Suspect]) -> Callable[[], bool]:
    return lambda: any(each.still() for each in suspects)


@check("param-in-container", tier=1, severity=ERROR, on=Stepped, wait=3, short_runs=True)
def param_in_container(watch: Watch, event: Stepped) -> Iterator[Finding]:
    """Layers in a plain list or dict are invisible to `parameters()`, so no optimizer trains them."""
    for holder, suspects in hidden(watch, CONTAINER):
        kind = type(holder.value).__name__
        layers = layers_in(holder.value)
        keyed = isinstance(holder.value, dict)
        better = f"nn.Module{'Dict' if keyed else 'List'}" if layers else f"nn.Parameter{'Dict' if keyed else 'List'}"
        count = len(suspects)
        yield Finding(
            f"`self.{holder.name}` is a plain {kind}: {count} {'parameter' if count == 1 else 'parameters'} in it "
            "get gradients, but `parameters()` does not show them and no optimizer has them.",
            f"Write `self.{holder.name} = {better}(...)`.",
            holder.place,
            [f"{watch.names.of_module(holder.module)}.{holder.name}"],
            evidence={"parameters": count, "layers": [type(each).__name__ for each in layers]},
            related=[("the optimizer", event.optimizer.place)],
            still=still_any(suspects),
        )


@check("param-plain-tensor", tier=1, severity=ERROR, on=Stepped, wait=3, short_runs=True)
def param_plain_tensor(watch: Watch, event: Stepped) -> Iterator[Finding]:
    """A tensor that requires grad is a module's attribute without being an nn.Parameter."""
    for holder, suspects in hidden(watch, PLAIN):
        if suspects[0].life.when_read is not None:
            continue
        buffer = " (a buffer)" if holder.name in vars(holder.module).get("_buffers", {}) else ""
        yield Finding(
            f"`self.{holder.name}` is a Tensor{buffer}, not an nn.Parameter: it gets a gradient, but `parameters()` "
            "does not show it and no optimizer has it.",
            f"Write `self.{holder.name} = nn.Parameter(...)`.",
            holder.place or suspects[0].life.place,
            [f"{watch.names.of_module(holder.module)}.{holder.name}"],
            related=[("the optimizer", event.optimizer.place)],
            still=still_any(suspects),
        )


def computed_attributes(watch: Watch) -> Iterator[tuple[Holder, list[Suspect]]]:
    """Attributes of modules that were computed from a leaf which nothing else holds."""
    for holder, suspects in hidden(watch, COMPUTED):
        tensor = suspects[0].life.ref()
        if tensor is not None and variable(tensor) is None:
            yield holder, suspects


@check("param-made-in-forward", tier=1, severity=ERROR, on=(ParameterMade, Backward), wait=3)
def param_made_in_forward(watch: Watch, event: ParameterMade | Backward) -> Iterator[Finding]:
    """A layer is created anew at every call, and thrown away before anything can train it."""
    born: dict[tuple, set[int]] = watch.memory["param-made-in-forward"].setdefault("born", {})
    if isinstance(event, ParameterMade):
        if event.place is not None:
            born.setdefault(event.place, set()).add(watch.steps)
        return
    found: dict[Location, list[Tensor]] = {}
    for leaf in event.leaves:
        life = watch.lives.of_parameter(leaf)
        again = isinstance(leaf, Parameter) and life.place is not None and len(born.get(life.place, ())) > 1
        # one that is made of computed values is told as history-rewrapped
        meant = life.owned or life.when_read is not None or life.model is not None or watch.trace.of(leaf).leaf
        if again and life.place is not None and not meant:
            watch.memory["explained"][id(leaf)] = weakref.ref(leaf)
            found.setdefault(life.place, []).append(leaf)
    for place, leaves in found.items():
        text = location.source(place).split("  #")[0].rstrip(": ")
        shapes = [list(each.shape) for each in leaves]
        yield Finding(
            f"`{text}` makes new parameters at every call: each gets one gradient and is thrown away, never trained.",
            "Create the layer once, in `__init__`, and call it in `forward`.",
            place,
            [f"a parameter of shape {each}" for each in shapes],
        )


@check("param-unused", tier=1, severity=WARNING, on=Stepped, wait=3)
def param_unused(watch: Watch, event: Stepped) -> Iterator[Finding]:
    """An optimizer has parameters that nothing in the loss depends on."""
    optimizer = event.optimizer
    patterns: set[int] = watch.memory["param-unused"].setdefault(id(optimizer), set())
    patterns.add(hash(tuple([each._grad is not None for each in optimizer.parameters])))
    groups: dict[tuple, tuple[Location | None, Record | None, list[Tensor]]] = {}
    unused = losses_at(watch, event).unused
    records = list(chain.from_iterable(watch.trace.steps)) if unused else []
    for parameter in unused:
        if follows(watch, parameter, optimizer) or is_stale(watch, parameter, optimizer):
            continue
        if is_of_a_package(watch, parameter):
            continue
        dropped = dropped_result(records, watch.trace.of(parameter))
        place = watch.lives.of_parameter(parameter).place if dropped is None else dropped.place
        key = line_of(place) or ()
        groups.setdefault(key, (place, dropped, []))[2].append(parameter)
    for place, dropped, parameters in groups.values():
        names = watch.names.all(parameters)
        if dropped is None:
            message = (
                f"{listed(names)} {'is' if len(names) == 1 else 'are'} never used by the loss, nor by anything else."
            )
            fix = "Call the layer in `forward`, or delete it."
        else:
            message = f"Nothing uses the result of `{dropped.name.strip('_')}` here, so {listed(names)} cannot learn."
            fix = "Use the result on the way to the loss: perhaps the next line takes another variable."
        made = watch.lives.of_parameter(parameters[0]).place
        yield Finding(
            message,
            fix,
            place,
            names,
            related=[("made here", None if made == place else made), ("the optimizer", optimizer.place)],
            sure="certain" if dropped is None else "likely",
            still=never_used(parameters, optimizer, patterns),
        )


def never_used(parameters: list[Tensor], optimizer: OptimizerLife, patterns: set[int]) -> Callable[[], bool]:
    """None of them got a gradient since; where the program chooses among layers, for long."""
    ids = {id(each) for each in parameters}
    return lambda: not ids & optimizer.moved and (len(patterns) == 1 or optimizer.steps >= PATIENCE)


def is_stale(watch: Watch, parameter: Tensor, optimizer: OptimizerLife) -> bool:
    """Whether no module and no variable has it any more, or the model that is trained is another: optimizer wiring."""
    if id(parameter) in watch.memory["optim-stale-param"].get("old", {}):
        return True
    if not optimizer.moved and watch.lives.unowned:
        return True
    return watch.names.look_for(parameter) is None and id(parameter) not in watch.names.found


def dropped_result(records: list[Record], source: Record) -> Record | None:
    """The last thing computed from a leaf that nothing uses; a number that was read for a log is no use."""
    after = [each for each in descendants(records, source) if each.name not in NUMBERS]
    ends = [each for each in after if each.place is not None and not is_used(each, records)]
    return ends[-1] if ends else None


def is_used(record: Record, records: list[Record]) -> bool:
    """Whether something besides reading its number was computed from a value."""
    if not record.uses:
        return False
    return any(record in each.inputs and each.name not in NUMBERS for each in records if each.number > record.number)


@check("param-frozen-untrained", tier=2, severity=WARNING, on=(Stepped, Raised), wait=3)
def param_frozen_untrained(watch: Watch, event: Stepped | Raised) -> Iterator[Finding]:
    """A layer was frozen at its random start, together with those that were to be frozen."""
    frozen = frozen_by_error(watch, event) if isinstance(event, Raised) else frozen_behind_trained(watch, event)
    groups: dict[tuple, tuple[Location | None, list[Tensor]]] = {}
    for each in frozen:
        place = watch.lives.of_parameter(each).frozen_at
        key = line_of(place) or ()
        groups.setdefault(key, (place, []))[1].append(each)
    for place, parameters in groups.values():
        names = watch.names.all(parameters)
        lives = [watch.lives.of_parameter(each) for each in parameters]
        yield Finding(
            f"{listed(names)} {'is' if len(names) == 1 else 'are'} frozen here at "
            f"{'its' if len(names) == 1 else 'their'} random start: never trained, never loaded.",
            "Freeze only what was trained before, such as `model.backbone.requires_grad_(False)`, and leave the new "
            "layers free.",
            place,
            names,
            related=[("made here", lives[0].place)],
            sure="likely",
            still=None if isinstance(event, Raised) else still_untrained(lives),
        )


def still_untrained(lives: list[ParameterLife]) -> Callable[[], bool]:
    """A layer that is frozen in turns, as a critic is while the generator learns, moves at other times."""
    return lambda: not any(each.moved or each.was_loaded or each.reached for each in lives)


def is_untrained(watch: Watch, parameter: Tensor) -> bool:
    life = watch.lives.of_parameter(parameter)
    if parameter.requires_grad or life.frozen_at is None:
        return False
    return not (life.was_loaded or life.moved or life.reached or life.model is not None)


def frozen_behind_trained(watch: Watch, event: Stepped) -> list[Tensor]:
    """Frozen parameters of the model that is trained: gradients flow through them, or loaded ones froze with them."""
    if watch.memory["param-frozen-untrained"].get(id(event.optimizer), 0) >= 6:
        return []
    watch.memory["param-frozen-untrained"][id(event.optimizer)] = event.optimizer.steps
    found, together = [], set()
    owned = {id(each) for each in event.optimizer.parameters}
    # where all is frozen, backward runs only since the loss was made a leaf
    learning = any(each.requires_grad for each in event.optimizer.parameters)
    for root in watch.names.roots():
        own = list(root.parameters())
        suspects = [each for each in own if is_untrained(watch, each)]
        trained = not learning or any(id(each) in owned and each.requires_grad for each in own)
        # evidence that the rest was trained before: loaded, or the optimizer was given all of it
        loaded = [each for each in own if watch.lives.of_parameter(each).was_loaded]
        if trained and suspects and (loaded or all(id(each) in owned for each in suspects)):
            found += suspects
            together |= {id(each) for each in frozen_with(watch, suspects, loaded)}
    losses = [each.records for each in event.backwards] if learning else event.optimizer.losses
    used = [each for roots in losses for root in roots for each in behind(root)]
    passed = {
        record.number
        for each in used
        if not learning or (each.live and any(one.live for one in each.inputs))
        for record in each.inputs
    }
    if together:
        passed |= {watch.trace.of(each).number for each in found if id(each) in together} & {
            record.number for each in used for record in each.inputs
        }
    return [each for each in found if watch.trace.of(each).number in passed]


def frozen_with(watch: Watch, suspects: list[Tensor], loaded: list[Tensor]) -> list[Tensor]:
    """Those that one line froze together with loaded parameters; what starts constant, as norms do, is harmless."""
    lines = {line_of(watch.lives.of_parameter(each).frozen_at) for each in loaded if not each.requires_grad} - {None}
    return [
        each
        for each in suspects
        if line_of(watch.lives.of_parameter(each).frozen_at) in lines
        and each._array.size
        and (each._array != each._array.flat[0]).any()
    ]


def line_of(place: Location | None) -> tuple[str, int | None] | None:
    return None if place is None else (place[0].co_filename, location.line_number(place))


def frozen_by_error(watch: Watch, event: Raised) -> list[Tensor]:
    """Everything is frozen: backward has nothing to do, or the optimizer got an empty list."""
    if event.call is None:
        return []
    refused = is_without_history(event)
    empty = event.call[0] == "Optimizer" and "empty parameter list" in str(event.error)
    if not (refused or empty):
        return []
    # modules that were there before the program are not its own
    roots = [each for each in watch.names.roots() if watch.lives.of_module(each).place is not None]
    frozen = [list(root.parameters()) for root in roots]
    every = [each for own in frozen for each in own if not any(one.requires_grad for one in own)]
    if refused:
        used = {each.number for root in tensors_of(event.call) for each in behind(watch.trace.of(root))}
        every = [each for each in every if watch.trace.of(each).number in used]
    return [each for each in every if is_untrained(watch, each)]
