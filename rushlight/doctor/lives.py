"""Lives: what becomes of parameters, optimizers and modules while a program runs."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.checksums import checksum
from rushlight.doctor.events import Backward, Cleared, Loaded
from rushlight.doctor.trace import Record, tensors_in
from rushlight.errors.location import Location

# a parameter's gradient: none, made since the last step, used by a step, and added to after it was used
CLEAN, FRESH, USED, TAINTED = "clean", "fresh", "used", "tainted"
# so many backwards are remembered for an optimizer that none of them reaches
REMEMBERED = 16
# dead optimizers are remembered up to this many, for programs that make one again and again
KEPT_OPTIMIZERS = 100
# an optimizer that never steps remembers the last backwards only
KEPT_BACKWARDS = 256


def memory(tensor: Tensor) -> int:
    """Where the numbers of a tensor begin."""
    return tensor._array.ctypes.data


class ParameterLife:
    """What is known of one leaf that requires grad."""

    def __init__(self, tensor: Tensor, place: Location | None):
        self.ref = weakref.ref(tensor)
        self.place = place
        self.gradient = CLEAN
        # how many backwards reached it, and the last of them
        self.reached = 0
        self.last_backward: Backward | None = None
        # the number of the last backward whose gradient was cleared since
        self.cleared_backward = 0
        # the line of the last step that used its gradient, and of what last cleared it
        self.used_at: Location | None = None
        self.cleared_at: Location | None = None
        # its values came from a file or another module, and were not made here
        self.was_loaded = False
        # how many steps of optimizers moved it
        self.moved = 0
        # the line that last let gradients pass it by: `requires_grad = False`
        self.frozen_at: Location | None = None
        # the parameter that it was copied from, by deepcopy or load_state_dict, and follows
        self.model: weakref.ref | None = None
        # whether an optimizer ever had it
        self.owned = False
        # whether a module had it when that optimizer was made
        self.was_in_module = False
        # its values when the program first read its gradient after a backward: does it make its own steps?
        self.when_read: Any = None


class OptimizerLife:
    """What is known of one optimizer."""

    def __init__(self, optimizer: Any, place: Location | None):
        self.ref = weakref.ref(optimizer)
        self.kind = type(optimizer).__name__
        self.place = place
        self.steps = 0
        self.step_place: Location | None = None
        # the backwards that reached its parameters since its last step
        self.backwards: list[Backward] = []
        # the records of all losses since its last step, reached or not, newest last
        self.losses: deque[list[Record]] = deque(maxlen=REMEMBERED)
        # which of its parameters it has moved, and the number of the last backward before it was made
        self.moved: set[int] = set()
        self.born = 0
        self.in_step = False
        self.hidden: Any = None
        # whether all that led to its next step was seen
        self.whole = True
        # how many backwards have reached its parameters in all
        self.reached = 0
        self.rates = Rates()
        # the values that its parameters had before it moved them for the first time, until one of them is another
        self.first_values: list[tuple[weakref.ref, Any]] | None = None
        self.has_changed = False

    @property
    def parameters(self) -> list[Tensor]:
        optimizer = self.ref()
        return [] if optimizer is None else [each for group in optimizer.param_groups for each in group["params"]]


class Rates:
    """The learning rates of an optimizer's steps, the largest of its groups at each."""

    # below this part of the largest rate before, nothing moves any more
    NOTHING = 1e-6

    def __init__(self) -> None:
        self.largest = 0.0
        # how many steps running had a rate of nothing until now, and the longest such row: its length, start and rate
        self.row = 0
        self.longest = 0
        self.start = 0
        self.lowest = 0.0

    def note(self, optimizer: Any, step: int) -> None:
        rate = max([float(group.get("lr", 1.0)) for group in optimizer.param_groups], default=1.0)
        if rate > self.largest:
            self.largest = rate
        if rate > self.NOTHING * self.largest:
            self.row = 0
            return
        self.row += 1
        if self.row > self.longest:
            self.longest, self.start, self.lowest = self.row, step - self.row + 1, rate


class ModuleLife:
    """What is known of one module."""

    def __init__(self, module: Any, place: Location | None):
        self.ref = weakref.ref(module)
        self.place = place
        # the lines on which its attributes were set
        self.assigned: dict[str, Location | None] = {}
        # the last switch between training and evaluation: (training, line)
        self.switched: tuple[bool, Location | None] | None = None


class Lives:
    """All of them, by identity; what has died is kept as long as its record is needed."""

    def __init__(self) -> None:
        self.parameters: dict[int, ParameterLife] = {}
        self.optimizers: list[OptimizerLife] = []
        self.modules: dict[int, ModuleLife] = {}
        # the lines on which data loaders were made
        self.loaders: weakref.WeakKeyDictionary[Any, Location | None] = weakref.WeakKeyDictionary()
        self.depth = 0
        self.backwards = 0
        # leaves that a backward reached and no optimizer had
        self.unowned: dict[int, ParameterLife] = {}
        # whether a file is being read
        self.is_reading = False

    def of_parameter(self, tensor: Tensor) -> ParameterLife:
        known = self.parameters.get(id(tensor))
        if known is None or known.ref() is not tensor:
            known = self.parameters[id(tensor)] = ParameterLife(tensor, tensor._created)
        return known

    def add_parameter(self, tensor: Tensor, place: Location | None) -> None:
        life = self.of_parameter(tensor)
        life.place, life.was_loaded = place, self.is_reading

    def add_optimizer(self, optimizer: Any, place: Location | None) -> OptimizerLife:
        life = OptimizerLife(optimizer, place)
        life.born = self.backwards
        if len(self.optimizers) >= KEPT_OPTIMIZERS:
            self.optimizers = [each for each in self.optimizers if each.ref() is not None]
        self.optimizers.append(life)
        self.learn_parameters(optimizer)
        return life

    def learn_parameters(self, optimizer: Any) -> None:
        held = self.in_modules()
        for group in optimizer.param_groups:
            for each in group["params"]:
                life = self.of_parameter(each)
                life.owned, life.was_in_module = True, id(each) in held

    def orphans(self, parameters: list[Tensor]) -> list[Tensor]:
        """Those that a module had when their optimizer was made, and none has now: they were replaced."""
        known = [each for each in parameters if self.of_parameter(each).was_in_module]
        held = self.in_modules() if known else set()
        return [each for each in known if id(each) not in held]

    def in_modules(self) -> set[int]:
        """The identities of the parameters of all living modules."""
        found = [each.__dict__.get("_parameters", {}) for each in self.living_modules()]
        return {id(parameter) for each in found for parameter in each.values()}

    def copied(self, source: Tensor, copy: Tensor) -> None:
        """A copy of a parameter that was trained or loaded has learned as much."""
        life, made = self.of_parameter(source), self.of_parameter(copy)
        if life.was_loaded or life.moved:
            made.was_loaded = True
        if copy is not source:
            made.model = weakref.ref(source)

    def of_optimizer(self, optimizer: Any) -> OptimizerLife:
        for each in self.optimizers:
            if each.ref() is optimizer:
                return each
        return self.add_optimizer(optimizer, None)

    def owners(self, tensor: Tensor) -> list[OptimizerLife]:
        """The living optimizers that move a parameter."""
        return [life for life in self.optimizers if any(each is tensor for each in life.parameters)]

    def owner_of_gradient(self, gradient: Tensor) -> Tensor | None:
        """The parameter whose `.grad` a tensor is."""
        for life in self.parameters.values():
            tensor = life.ref()
            if tensor is not None and tensor._grad is gradient:
                return tensor
        return None

    def add_module(self, module: Any, place: Location | None) -> ModuleLife:
        life = self.modules[id(module)] = ModuleLife(module, place)
        return life

    def of_module(self, module: Any) -> ModuleLife:
        known = self.modules.get(id(module))
        return known if known is not None and known.ref() is module else self.add_module(module, None)

    def living_modules(self) -> list[Any]:
        found = [life.ref() for life in list(self.modules.values())]
        return [each for each in found if each is not None]

    def assigned(self, module: Any, name: str, value: Any, place: Location | None) -> None:
        self.of_module(module).assigned[name] = place

    @contextmanager
    def switching(self) -> Iterator[bool]:
        """Whether this switch of a module is the one that the program asked for."""
        self.depth += 1
        try:
            yield self.depth == 1
        finally:
            self.depth -= 1

    def switched(self, module: Any, training: bool, place: Location | None) -> None:
        self.of_module(module).switched = training, place

    def loaded(self, event: Loaded) -> None:
        if not hasattr(event.target, "named_parameters"):
            return
        models = {memory(each): each for module in self.living_modules() for each in module.parameters()}
        for name, each in event.target.named_parameters():
            life = self.of_parameter(each)
            life.was_loaded = True
            source = event.state.get(name) if isinstance(event.state, dict) else None
            model = models.get(memory(source)) if isinstance(source, Tensor) else None
            if model is not None and model is not each:
                life.model = weakref.ref(model)

    def before_backward(self, event: Backward) -> None:
        """A gradient that a program has cleared in its own way, such as `p.grad.data.zero_()`, is clean."""
        if not event.fills:
            return
        for leaf in event.leaves:
            life = self.parameters.get(id(leaf))
            if life is None or life.gradient == CLEAN or life.ref() is not leaf:
                continue
            if is_nothing(leaf._grad):
                life.gradient = CLEAN

    def after_backward(self, event: Backward) -> None:
        """Gradients have arrived in leaves."""
        self.backwards = event.number
        wanted = event.kwargs.get("inputs")
        if not event.fills:
            # what the program does with these gradients is its own affair
            for each in tensors_in(wanted):
                self.of_parameter(each).last_backward = event
            return
        leaves = event.leaves
        if wanted is not None:
            listed = [wanted] if isinstance(wanted, Tensor) else list(wanted)
            leaves = [leaf for leaf in leaves if any(leaf is each for each in listed)]
        for leaf in leaves:
            life = self.of_parameter(leaf)
            life.gradient = TAINTED if life.gradient in (USED, TAINTED) else FRESH
            life.reached += 1
            life.last_backward = event
            life.when_read = None
            if not life.owned:
                self.unowned[id(leaf)] = life
        reached = {id(leaf) for leaf in leaves}
        for optimizer in self.optimizers:
            optimizer.losses.append(event.records)
            if any(id(each) in reached for each in optimizer.parameters):
                optimizer.reached += 1
                optimizer.backwards.append(event)
                del optimizer.backwards[:-KEPT_BACKWARDS]

    def forget_gradients(self) -> None:
        """After a rest nobody knows which gradients are there."""
        for each in self.parameters.values():
            each.gradient = CLEAN
        for optimizer in self.optimizers:
            optimizer.backwards, optimizer.whole = [], False

    def clear(self, event: Cleared) -> None:
        for each in event.parameters:
            life = self.of_parameter(each)
            life.gradient = CLEAN
            life.cleared_backward = 0 if life.last_backward is None else life.last_backward.number
            life.cleared_at = event.place

    def before_step(self, optimizer: OptimizerLife) -> None:
        """Remember the values that a first step is to change."""
        if optimizer.first_values is None and not optimizer.has_changed:
            optimizer.first_values = [(weakref.ref(each), checksum(each._array)) for each in optimizer.parameters]

    def after_step(self, optimizer: OptimizerLife) -> None:
        optimizer.steps += 1
        made = optimizer.ref()
        if made is not None:
            optimizer.rates.note(made, optimizer.steps)
        if optimizer.first_values is not None and any(differs(*each) for each in optimizer.first_values):
            optimizer.first_values, optimizer.has_changed = None, True
        optimizer.backwards = []
        optimizer.whole = True
        for each in optimizer.parameters:
            if each._grad is not None:
                life = self.of_parameter(each)
                life.gradient = USED
                life.used_at = optimizer.step_place
                life.moved += 1
                optimizer.moved.add(id(each))


def is_nothing(gradient: Tensor | None) -> bool:
    """Whether there is no gradient, or one of zeros."""
    return gradient is None or not gradient._array.any()


def differs(reference: weakref.ref, before: Any) -> bool:
    """Whether a tensor that still lives has other values than before."""
    tensor = reference()
    return tensor is not None and checksum(tensor._array) != before
