"""The observer sees each call of the program, lets it run as it would, and tells the watch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

from rushlight.autograd.graph import sequence
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.core.surface.overriding import modes, watch_modes
from rushlight.doctor.events import Backward, Call
from rushlight.doctor.observer import distributions, grad_modes, loaders, memory, modules, optimizers, tensors
from rushlight.doctor.observer.memory import MAY_SHARE, Memory
from rushlight.doctor.observer.patches import Patches
from rushlight.doctor.places import user_line
from rushlight.doctor.trace import Record, tensors_in

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

# what asks for gradients
BACKWARDS = {"backward", "grad"}
FIELDS = {"__get__", "__set__", "__delete__"}
# arithmetic in place
WRITES = {"add_", "sub_", "mul_", "pow_", "neg_", "square_"}
# values that leave as numbers and lists, and as arrays
NUMBERS = {"item", "__float__", "__int__", "__bool__", "__index__", "__complex__", "tolist"}
ARRAYS = {"numpy", "__array__"}
# arithmetic whose plain numbers are kept: with which sign and weight a value goes on
ARITHMETIC = set("add sub rsub mul div pow add_ sub_ mul_ div_ true_divide lerp_ lerp".split())

# calls are counted by blocks
BLOCK = 4096


class Observer:
    """Sees calls while it is started; what the library does inside of a call stays unseen."""

    def __init__(self, watch: Watch):
        self.watch = watch
        self.trace = watch.trace
        self.patches = Patches()
        # at rest no call is seen, only optimizers, loaders and the values of losses
        self.awake = False
        self.module_hooks: list = []
        self.memory = Memory()
        # the seconds that the last call took
        self.took = 0.0
        # the calls since the last block
        self.calls = 0

    def start(self) -> None:
        self.wake()
        for part in (tensors, optimizers, modules, distributions, grad_modes, loaders, memory):
            part.install(self)

    def stop(self) -> None:
        self.patches.restore()
        optimizers.remove(self)
        self.rest()

    def wake(self) -> None:
        """See every call from now on."""
        if not self.awake:
            self.awake = True
            modes.observer = self.call
            watch_modes(1)
            modules.listen(self)

    def rest(self) -> None:
        """See no calls for a while: the program runs nearly as fast as it would alone."""
        if self.awake:
            self.awake = False
            modes.observer = None
            watch_modes(-1)
            modules.stop_listening(self)

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """What happens inside is the library's own business."""
        before, modes.observer = modes.observer, None
        try:
            yield
        finally:
            # a closure that ran inside may have been the end of looking
            modes.observer = before if self.awake else None

    @contextmanager
    def seen(self) -> Iterator[None]:
        """Inside of what is unseen the program runs again, as in an optimizer's closure."""
        before, modes.observer = modes.observer, self.call if self.awake else None
        try:
            yield
        finally:
            modes.observer = before

    def call(self, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Run a function as the program would, and note it; nothing inside of it is seen."""
        if state.levels:
            with self.unseen():
                return function(*args, **kwargs)
        name = function.__name__
        if name in FIELDS:
            # shown to a mode of the program's; the observer itself reads fields, and would see itself do so
            return function(*args, **kwargs)
        if name in BACKWARDS:
            return self.backward(function, name, args, kwargs)
        inputs = self.trace.inputs_of(args)
        if kwargs:
            inputs += self.trace.inputs_of(kwargs.values())
        before = written_over(args) if name in WRITES else None
        result = self.run(name, function, args, kwargs)
        if result is NotImplemented:
            return result
        place = user_line()
        self.watch.health.note_line(place, self.took)
        record = self.trace.note(name, inputs, result, place)
        self.watch.finite.look(record, result, args, inputs)
        if name in ARITHMETIC:
            keep_factors(record, args, kwargs)
        elif name in NUMBERS or name in ARRAYS:
            self.left(name, result, record)
        if self.memory.visible or name in MAY_SHARE:
            self.memory.called(name, args, result, record.live)
        if name in self.watch.names_heard or self.watch.all_calls_heard:
            self.watch.tell_call(Call(name, function, args, kwargs, result, place, record, inputs, before))
        self.calls += 1
        if self.calls == BLOCK:
            self.calls = 0
            self.trace.limit()
            self.watch.count_block()
        return result

    def run(self, name: str, function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
        modes.observer = None
        began = perf_counter()
        try:
            return function(*args, **kwargs)
        except Exception as error:
            self.watch.failed = (error, name, args, kwargs, user_line())
            if name in BACKWARDS:
                # the last chance: when the error is told, the program's variables are out of sight
                self.watch.names.learn()
            raise
        finally:
            self.took = perf_counter() - began
            modes.observer = self.call

    def left(self, name: str, result: Any, record: Any) -> None:
        """Numbers and arrays are known again when they come back."""
        if name == "tolist":
            while isinstance(result, list) and result:
                for each in result:
                    self.trace.number_left(each, record)
                result = result[0]
        elif name in NUMBERS:
            self.trace.number_left(result, record)
        else:
            self.trace.array_left(result, record)

    def backward(self, function: Callable, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        watch = self.watch
        given = args[0] if args else kwargs.get("tensors", kwargs.get("outputs"))
        roots = [each for each in tensors_in(given) if isinstance(each, Tensor)]
        records = [self.trace.of(each) for each in roots]
        for each in records:
            each.uses += 1
        place = user_line()
        asked = {**kwargs, "inputs": args[1]} if name == "grad" and len(args) > 1 else kwargs
        event = Backward(
            roots, records, place, watch.next_backward(), self.trace.step, name == "backward", next(sequence), asked
        )
        watch.running = event
        watch.health.passed("forward")
        kept = watch.finite.keep(roots)
        watch.before_backward(event)
        result = self.run(name, function, args, kwargs)
        watch.running = None
        watch.health.passed("backward")
        watch.health.note_line(place, self.took)
        watch.health.note_loss(roots, place)
        if name == "grad":
            record = self.trace.note("grad", records, result, place)
            record.carries = record.carries or record.live
            self.watch.finite.look(record, result, (), records)
        watch.lives.after_backward(event)
        watch.look_at_gradients(roots, records, kept, place)
        watch.tell(event)
        watch.health.go_on()
        watch.count_backward()
        return result


def written_over(args: tuple) -> Any:
    """A copy of small integers that a call is about to change: they may wrap around."""
    if args and isinstance(args[0], Tensor) and args[0]._array.dtype.kind in "iu" and args[0]._array.itemsize < 4:
        return args[0]._array.copy()
    return None


def keep_factors(record: Record, args: tuple, kwargs: dict[str, Any]) -> None:
    """Keep the numbers of an arithmetic call: those that were written as such, and tensors of one element."""
    for each in args:
        if isinstance(each, Tensor):
            if each._array.size == 1:
                value = float(each._array.reshape(()).real)
                for operand in record.inputs:
                    if operand.value is None and operand.tensor is not None and operand.tensor() is each:
                        operand.value = value
        elif isinstance(each, (int, float)):
            record.factor = float(each)
    if "alpha" in kwargs:
        record.factor = float(kwargs["alpha"])
