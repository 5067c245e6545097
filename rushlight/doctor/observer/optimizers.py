"""Optimizers: when they are made, step and clear, and what is done to learning rates and gradients between."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rushlight.core.memory.living import every_kind_of
from rushlight.doctor.events import Cleared, Clipped, OptimizerMade, Scheduled, Stepped, Stepping
from rushlight.doctor.observer.looking import is_looking
from rushlight.doctor.places import user_line
from rushlight.nn.modules.module import Module
from rushlight.nn.utils import clip_grad
from rushlight.optim.hooks import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from rushlight.optim.lr_scheduler import LRScheduler
from rushlight.optim.optimizer import Optimizer

if TYPE_CHECKING:
    from rushlight.doctor.observer.observer import Observer

CLIPPING = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm")


def install(observer: Observer) -> None:
    replace = observer.patches.replace
    replace(Optimizer, "__init__", making(observer, Optimizer.__init__))
    replace(Optimizer, "add_param_group", adding(observer, Optimizer.add_param_group))
    replace(Optimizer, "zero_grad", clearing(observer, Optimizer.zero_grad, parameters_of_optimizer))
    replace(Module, "zero_grad", clearing(observer, Module.zero_grad, lambda module: list(module.parameters())))
    for kind in (LRScheduler, *every_kind_of(LRScheduler)):
        if "step" in vars(kind):
            replace(kind, "step", scheduling(observer, kind.step))
    import rushlight.nn.utils as utils

    for name in CLIPPING:
        if hasattr(clip_grad, name):
            clipped = clipping(observer, getattr(clip_grad, name))
            replace(clip_grad, name, clipped)
            replace(utils, name, clipped)
    observer.watch.handles = [
        register_optimizer_step_pre_hook(functools.partial(before_step, observer)),
        register_optimizer_step_post_hook(functools.partial(after_step, observer)),
    ]


def remove(observer: Observer) -> None:
    for each in observer.watch.handles:
        each.remove()


def parameters_of_optimizer(optimizer: Optimizer) -> list:
    return [each for group in optimizer.param_groups for each in group["params"]]


def making(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def made(self: Optimizer, *args: Any, **kwargs: Any) -> None:
        try:
            with observer.unseen():
                function(self, *args, **kwargs)
        except Exception as error:
            observer.watch.failed = (error, "Optimizer", args, kwargs, user_line())
            raise
        life = observer.watch.lives.add_optimizer(self, user_line())
        observer.watch.tell(OptimizerMade(life, life.place))

    return made


def adding(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def added(self: Optimizer, param_group: dict[str, Any]) -> None:
        function(self, param_group)
        observer.watch.lives.learn_parameters(self)

    return added


def clearing(observer: Observer, function: Callable, parameters: Callable) -> Callable:
    @functools.wraps(function)
    def cleared(self: Any, *args: Any, **kwargs: Any) -> None:
        with observer.unseen():
            function(self, *args, **kwargs)
        observer.watch.clear(Cleared(parameters(self), user_line()))

    return cleared


def scheduling(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def scheduled(self: LRScheduler, *args: Any, **kwargs: Any) -> None:
        with observer.unseen():
            function(self, *args, **kwargs)
        observer.watch.tell(Scheduled(self, user_line()))

    return scheduled


def clipping(observer: Observer, function: Callable) -> Callable:
    @functools.wraps(function)
    def clipped(parameters: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_looking():
            return function(parameters, *args, **kwargs)
        from rushlight.core.object.tensor import Tensor

        # a used-up generator stays one
        listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
        with observer.unseen():
            result = function(
                parameters if isinstance(parameters, (Tensor, list, tuple)) else iter(listed), *args, **kwargs
            )
        limit = next(iter([*args, *kwargs.values()]), None)
        observer.watch.tell(Clipped(listed, user_line(), limit))
        return result

    return clipped


def before_step(observer: Observer, optimizer: Optimizer, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Before a step; the closure that it is given is the program's own code, and seen."""
    life = observer.watch.lives.of_optimizer(optimizer)
    observer.watch.lives.before_step(life)
    if not observer.awake:
        return None
    place = user_line()
    closure = kwargs.get("closure", args[1] if len(args) > 1 else None)
    life.in_step = True
    if closure is not None:
        args, kwargs = with_closure(observer, closure, args, kwargs)
    elif life.whole:
        observer.watch.tell(Stepping(life, place, life.backwards))
    observer.watch.health.passed("forward")
    observer.watch.health.before_step(life)
    life.hidden = observer.unseen()
    life.hidden.__enter__()
    return args, kwargs


def with_closure(observer: Observer, closure: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict]:
    def seen() -> Any:
        with observer.seen():
            return closure()

    if "closure" in kwargs:
        return args, {**kwargs, "closure": seen}
    return (args[0], seen, *args[2:]), kwargs


def after_step(observer: Observer, optimizer: Optimizer, args: tuple, kwargs: dict[str, Any]) -> None:
    watch = observer.watch
    life = watch.lives.of_optimizer(optimizer)
    if life.hidden is not None:
        life.hidden.__exit__(None, None, None)
        life.hidden, life.in_step = None, False
        watch.health.passed("optimizer")
        watch.health.after_step(life)
    if not life.steps:
        watch.names.learn()
    backwards, whole = life.backwards, life.whole
    with observer.unseen():
        watch.lives.after_step(life)
    if observer.awake and whole:
        watch.tell(Stepped(life, user_line(), backwards))
    life.losses.clear()
    watch.health.go_on()
    watch.advance()
