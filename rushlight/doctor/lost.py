"""Lost parameters: those that an optimizer wants to move and no gradient reaches, each with the cut to blame."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.checksums import checksum
from rushlight.doctor.cuts import FLAT_SAMPLES, Cut, Exits, cut_by_exit, first_cuts, is_flat
from rushlight.doctor.events import Raised, Stepped
from rushlight.doctor.lives import OptimizerLife
from rushlight.doctor.places import Through, installed
from rushlight.doctor.trace import is_leaf, tensors_in
from rushlight.errors import location

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

# an optimizer whose parameters stay without a gradient for no reason that shows is looked at so often
LOOKS = 12
# gradients that are all zero are looked for in so many steps of an optimizer
LOOKS_FOR_ZEROS = 12


class Lost:
    """What one cut keeps from learning."""

    def __init__(self, cut: Cut, optimizer: OptimizerLife | None):
        self.cut = cut
        self.optimizer = optimizer
        self.parameters: list[Tensor] = []
        self.zeros = False

    def still(self) -> Callable[[], bool] | None:
        """Whether none of them got a gradient since."""
        optimizer = self.optimizer
        if optimizer is None or self.zeros:
            return None
        ids = {id(each) for each in self.parameters}
        return lambda: not ids <= optimizer.moved


class Losses:
    """The lost parameters at one event: those with a cut, and those that nothing in the loss depends on."""

    def __init__(self) -> None:
        self.cut: list[Lost] = []
        self.unused: list[Tensor] = []


def losses_at(watch: Watch, event: Stepped | Raised) -> Losses:
    """Looked for once for all checks."""
    memory = watch.memory["history"]
    if memory.get("event") is not event:
        memory["event"] = event
        memory["found"] = after_step(watch, event) if isinstance(event, Stepped) else after_error(watch, event)
    found: Losses = memory["found"]
    return found


def is_lost(watch: Watch, parameter: Tensor, optimizer: OptimizerLife) -> bool:
    """Whether an optimizer has never had a gradient of a parameter that it is to move."""
    if id(parameter) in optimizer.moved or not parameter.requires_grad or parameter._grad is not None:
        return False
    last = watch.lives.of_parameter(parameter).last_backward
    return last is None or last.number <= optimizer.born


def after_step(watch: Watch, event: Stepped) -> Losses:
    found = Losses()
    optimizer = event.optimizer
    lost = [each for each in optimizer.parameters if is_lost(watch, each, optimizer)]
    looks = watch.memory["history-looks"]
    if lost and looks.setdefault(id(optimizer), 0) < LOOKS:
        looks[id(optimizer)] += 1
        gone = {id(each) for each in watch.lives.orphans(lost)}
        lost = [each for each in lost if not moves_otherwise(watch, each) and id(each) not in gone]
        explain(watch, lost, optimizer, found)
    if optimizer.steps <= LOOKS_FOR_ZEROS:
        found.cut += with_zero_gradient(watch, event)
    return found


def moves_otherwise(watch: Watch, parameter: Tensor) -> bool:
    """Whether the program writes to it by itself, as to a network that follows another, or another optimizer does."""
    seen = watch.memory["history-values"]
    now = checksum(parameter._array)
    return seen.setdefault(id(parameter), now) != now


def follows(watch: Watch, parameter: Tensor, optimizer: OptimizerLife) -> bool:
    """Whether it is the copy of a parameter that the same optimizer moves, and so a target that needs no gradient."""
    model = watch.lives.of_parameter(parameter).model
    source = None if model is None else model()
    return source is not None and any(source is each for each in optimizer.parameters)


def explain(watch: Watch, lost: list[Tensor], optimizer: OptimizerLife, found: Losses) -> None:
    """Find the cut for each of the parameters; the others nothing depends on."""
    roots = [record for each in reversed(optimizer.losses) for record in each]
    cuts = sorted([each for each in first_cuts(roots) if each.kind], key=lambda each: each.rank)
    groups: dict[tuple, Lost] = {}
    unknown = []
    for parameter in lost:
        cut = cut_of(cuts, watch.trace.of(parameter).number)
        if cut is None:
            unknown.append(parameter)
        elif is_owned_leaf(watch, cut) or is_by_design(watch, cut, parameter):
            continue
        elif not (cut.kind in ("history-no-grad", "history-detach") and follows(watch, parameter, optimizer)):
            groups.setdefault(cut.key(), Lost(cut, optimizer)).parameters.append(parameter)
    if unknown and roots:
        exits = Exits(chain.from_iterable(watch.trace.steps), roots)
        exits.follow([watch.trace.of(each) for each in unknown])
        for place, parameter in enumerate(unknown):
            left = exits.of(place)
            if left is None:
                found.unused.append(parameter)
            else:
                cut = cut_by_exit(*left)
                groups.setdefault(cut.key(), Lost(cut, optimizer)).parameters.append(parameter)
    found.cut = list(groups.values())


def cut_of(cuts: list[Cut], number: int) -> Cut | None:
    """The first cut that alone keeps a leaf from its gradient, or else the first of several in a row."""
    return next((each for each in cuts if number in each.near), None) or next(
        (each for each in cuts if number in each.far), None
    )


def is_owned_leaf(watch: Watch, cut: Cut) -> bool:
    """Whether values became a leaf on purpose: an optimizer moves it."""
    tensor = cut.made.tensor() if cut.made.leaf and cut.made.tensor is not None else None
    return tensor is not None and bool(watch.lives.owners(tensor))


def is_by_design(watch: Watch, cut: Cut, parameter: Tensor) -> bool:
    """Whether a package keeps its own parameter from learning, as one does that switches branches of a network off."""
    return isinstance(cut.place, Through) and is_of_a_package(watch, parameter)


def is_of_a_package(watch: Watch, parameter: Tensor) -> bool:
    """Whether a package defines the network that has the layer: a part of a ready-made model may stay unused."""
    found = False
    for root in watch.names.roots():
        for module in root.modules():
            file = getattr(sys.modules.get(type(module).__module__), "__file__", None) or ""
            if not location.ours[file] and any(each is parameter for each in module.parameters()):
                # modules come before their children, so the innermost one that no layer of ours is has the last word
                found = installed[file]
    return found


def with_zero_gradient(watch: Watch, event: Stepped) -> list[Lost]:
    """Parameters whose gradient is there but all zero, because an op such as `round` is flat."""
    zero = [each for each in event.optimizer.parameters if each._grad is not None and not each._grad._array.any()]
    roots = [record for each in event.backwards for record in each.records]
    cuts = first_cuts(roots, is_flat, "history-nondiff") if zero else []
    groups: dict[tuple, Lost] = {}
    if cuts:
        reached = {each.number for each in live_before(roots)}
        for parameter in zero:
            number = watch.trace.of(parameter).number
            cut = None if number in reached else cut_of(cuts, number)
            if cut is not None and not is_by_design(watch, cut, parameter):
                cut.kind = "history-sample" if cut.made.name in FLAT_SAMPLES else cut.kind
                lost = groups.setdefault(cut.key(), Lost(cut, event.optimizer))
                lost.zeros = True
                lost.parameters.append(parameter)
    return list(groups.values())


def live_before(roots: list) -> list:
    """What gradients from the roots reach without passing anything flat."""
    seen: set[int] = set()
    found = []
    stack = list(roots)
    while stack:
        each = stack.pop()
        if each.number not in seen and each.live:
            seen.add(each.number)
            found.append(each)
            stack += [one for one in each.inputs if not is_flat(each, one) and not each.leaf]
    return found


def is_without_history(event: Raised) -> bool:
    """Whether a backward was refused because what it started from has no history."""
    if event.call is None or event.call[0] not in ("backward", "grad"):
        return False
    started = tensors_of(event.call)
    return bool(started) and not any(each.requires_grad for each in started)


def after_error(watch: Watch, event: Raised) -> Losses:
    """A backward was refused because the loss has no history: every cut before it."""
    found = Losses()
    if event.call is None or not is_without_history(event):
        return found
    roots = [watch.trace.of(each) for each in tensors_of(event.call)]
    cuts = sorted([each for each in first_cuts(roots) if each.kind], key=lambda each: each.rank)
    groups: dict[tuple, Lost] = {}
    told: set[int] = set()
    for cut in cuts:
        leaves = {number: each for number, each in cut.near.items() if number not in told}
        told |= leaves.keys()
        tensors = [each.tensor() for each in leaves.values() if each.tensor is not None]
        parameters = in_order(watch, [each for each in tensors if each is not None and is_leaf(each)])
        if parameters or not cut.near:
            groups.setdefault(cut.key(), Lost(cut, None)).parameters += parameters
    if not groups:
        groups = from_source(watch, roots, event)
    found.cut = [each for each in groups.values() if each.parameters] or list(groups.values())[:1]
    return found


def in_order(watch: Watch, leaves: list[Tensor]) -> list[Tensor]:
    """Leaves as the optimizers list them, others after these."""
    places = {id(each): place for life in watch.lives.optimizers for place, each in enumerate(life.parameters)}
    return sorted(leaves, key=lambda each: places.get(id(each), len(places)))


def tensors_of(call: tuple) -> list[Tensor]:
    _, args, kwargs = call
    return list(tensors_in(args[0] if args else kwargs.get("tensors", kwargs.get("outputs"))))


def from_source(watch: Watch, roots: list, event: Raised) -> dict[tuple, Lost]:
    """The numbers of the loss left tensors before: the source tells which."""
    parameters = [each for life in watch.lives.optimizers for each in life.parameters if each.requires_grad]
    if not parameters:
        every = [life.ref() for life in watch.lives.parameters.values()]
        parameters = [each for each in every if each is not None and each.requires_grad]
    exits = Exits(chain.from_iterable(watch.trace.steps), roots)
    exits.follow([watch.trace.of(each) for each in parameters])
    groups: dict[tuple, Lost] = {}
    for place, parameter in enumerate(parameters):
        left = exits.of(place)
        if left is not None:
            cut = cut_by_exit(*left)
            groups.setdefault(cut.key(), Lost(cut, None)).parameters.append(parameter)
    return groups
