"""Modules: when they are made, given layers, called, switched between training and evaluation, and loaded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.doctor.events import Assigned, Loaded, ModuleEntered, ModuleLeft, ParameterMade, StateTaken, Switched
from rushlight.doctor.observer.looking import is_looking
from rushlight.doctor.places import line_of_making, user_line
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.module_hooks import register_module_forward_hook, register_module_forward_pre_hook
from rushlight.nn.parameter import Parameter
from rushlight.optim.optimizer import Optimizer

if TYPE_CHECKING:
    from rushlight.doctor.observer.observer import Observer


def install(observer: Observer) -> None:
    replace = observer.patches.replace
    replace(Module, "__init__", making(observer, Module.__init__))
    replace(Module, "__setattr__", assigning(observer, Module.__setattr__))
    replace(Module, "train", switching(observer, Module.train))
    replace(Module, "load_state_dict", loading(observer, Module.load_state_dict))
    replace(Optimizer, "load_state_dict", loading(observer, Optimizer.load_state_dict))
    replace(Parameter, "__new__", parameter(observer, Parameter.__new__))
    replace(Parameter, "__deepcopy__", copying(observer, Parameter.__deepcopy__))
    replace(Module, "state_dict", taking_state(observer, Module.state_dict))
    import rushlight

    replace(rushlight, "load", reading(observer, rushlight.load))


def listen(observer: Observer) -> None:
    """See which module computes."""
    observer.module_hooks = [
        register_module_forward_pre_hook(functools.partial(enter, observer)),
        register_module_forward_hook(functools.partial(leave, observer), always_call=True),
    ]


def stop_listening(observer: Observer) -> None:
    for each in observer.module_hooks:
        each.remove()
    observer.trace.modules.clear()


def making(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def made(self: Module, *args: Any, **kwargs: Any) -> None:
        function(self, *args, **kwargs)
        observer.watch.lives.add_module(self, line_of_making(self))

    return made


def assigning(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def assigned(self: Module, name: str, value: Any) -> None:
        before = self.__dict__.get(name)
        if before is None:
            before = self.__dict__.get("_modules", {}).get(name, self.__dict__.get("_parameters", {}).get(name))
        function(self, name, value)
        # the switch between training and evaluation is told by `train`
        if name != "training":
            place = user_line()
            observer.watch.lives.assigned(self, name, value, place)
            observer.watch.tell(Assigned(self, name, value, before, place))

    return assigned


def switching(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def switched(self: Module, mode: bool = True) -> Module:
        # of the tree that a call switches only the root is told
        with observer.watch.lives.switching() as outermost:
            result = function(self, mode)
        if outermost:
            observer.watch.lives.switched(self, mode, user_line())
            observer.watch.tell(Switched(self, mode, user_line()))
        return result

    return switched


def loading(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def loaded(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        event = Loaded(self, state_dict, user_line())
        # before it is done: afterwards source and target are alike
        observer.watch.lives.loaded(event)
        observer.watch.tell(event)
        with observer.unseen():
            return function(self, state_dict, *args, **kwargs)

    return loaded


def parameter(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def made(cls: type, *args: Any, **kwargs: Any) -> Any:
        with observer.unseen():
            result = function(cls, *args, **kwargs)
        place = user_line()
        observer.watch.lives.add_parameter(result, place)
        if is_looking():
            # made of what another parameter lies behind, it is a leaf all the same
            inputs = observer.trace.inputs_of((*args, *kwargs.values()))
            if any(each.carries for each in inputs):
                observer.trace.note("Parameter", inputs, result, place)
        computing = observer.trace.modules[-1] if observer.trace.modules and is_looking() else None
        observer.watch.tell(ParameterMade(result, computing, place))
        return result

    return made


def copying(observer: Observer, function: Callable) -> Callable:
    """A copy follows its model where a program lets it: as a target network does."""

    @functools.wraps(function)
    def copied(self: Parameter, memo: dict) -> Any:
        with observer.unseen():
            result = function(self, memo)
        observer.watch.lives.copied(self, result)
        return result

    return copied


def taking_state(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def taken(self: Module, *args: Any, **kwargs: Any) -> Any:
        with observer.unseen():
            result = function(self, *args, **kwargs)
        # the state of a child goes into that of the module around it
        if is_looking() and not args and kwargs.get("destination") is None:
            observer.watch.tell(StateTaken(self, result, user_line()))
        return result

    return taken


def reading(observer: Observer, function: Callable) -> Callable:
    """Parameters that come out of a file were trained elsewhere."""

    @functools.wraps(function)
    def load(*args: Any, **kwargs: Any) -> Any:
        lives = observer.watch.lives
        before, lives.is_reading = lives.is_reading, True
        try:
            return function(*args, **kwargs)
        finally:
            lives.is_reading = before

    return load


def enter(observer: Observer, module: Module, args: tuple) -> None:
    if not is_looking():
        return
    observer.trace.modules.append(module)
    if ModuleEntered in observer.watch.heard:
        observer.watch.tell(ModuleEntered(module, args, len(observer.trace.modules) - 1, user_line()))


def leave(observer: Observer, module: Module, args: tuple, result: Any) -> None:
    if not is_looking():
        return
    modules = observer.trace.modules
    # an error may have left modules inside of this one
    while modules and modules.pop() is not module:
        pass
    if ModuleLeft in observer.watch.heard:
        observer.watch.tell(ModuleLeft(module, args, result, len(modules), user_line()))
