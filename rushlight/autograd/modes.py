"""Modes: whether operations are recorded, per thread, as context managers and decorators."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Self, TypeVar

from rushlight.core.settings.state import state
from rushlight.native import extension

# what is decorated keeps its type
Function = TypeVar("Function", bound=Callable[..., Any])


class Mode:
    """A context manager that also decorates functions and generators."""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        # `@no_grad` without parentheses decorates at once, as in torch
        if (given or named) and cls in (no_grad, enable_grad, inference_mode):
            first = given[0] if given else named.get("mode")
            if callable(first):
                decorated: Any = cls()(first)
                return decorated
            if cls is not inference_mode or not isinstance(first, bool):
                wanted = "a bool or a function" if cls is inference_mode else "nothing, or a function to decorate"
                raise TypeError(f"{cls.__name__} takes {wanted}, not {first!r}")
        if extension is not None and issubclass(cls, no_grad):
            return extension.new_no_grad(cls)
        return object.__new__(cls)

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exception: object) -> None:
        raise NotImplementedError

    def clone(self) -> Mode:
        return type(self)()

    def __call__(self, function: Function) -> Function:
        if inspect.isclass(function):
            from rushlight.errors.warning import warn

            warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods: decorate `__init__` for what this does",
                FutureWarning,
            )
            function.__init__ = self(function.__init__)  # type: ignore[method-assign]
            return function
        if inspect.isgeneratorfunction(function):
            return self.decorate_generator(function)

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        decorated: Any = inside
        return decorated

    def decorate_generator(self, function: Callable) -> Any:
        """The mode holds while the generator runs, not while its caller does."""

        @functools.wraps(function)
        def inside(*args, **kwargs):
            generator = function(*args, **kwargs)
            resume, value = generator.send, None
            while True:
                try:
                    with self.clone():
                        produced = resume(value)
                except StopIteration as stop:
                    return stop.value
                try:
                    value, resume = (yield produced), generator.send
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    value, resume = error, generator.throw

        return inside


class no_grad(Mode):
    """Operations inside are not recorded: their results have no history.

    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __enter__(self) -> None:
        self.before = state.grad
        state.grad = False

    def __exit__(self, *exception: object) -> None:
        state.grad = self.before


if extension is not None:
    # 0.2 us instead of 0.5
    extension.quicken_no_grad(no_grad)


class enable_grad(Mode):
    """Operations inside are recorded, also within `no_grad`.

    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    def __enter__(self) -> None:
        self.before = state.grad
        # in inference mode nothing is recorded
        state.grad = not state.inference

    def __exit__(self, *exception: object) -> None:
        state.grad = self.before


class set_grad_enabled(Mode):
    """Switch recording on or off, at once or for a block.

    >>> x, training = torch.tensor([1.0], requires_grad=True), False
    >>> with torch.set_grad_enabled(training):
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        self.mode = mode
        self.before = state.grad
        state.grad = self.mode

    def __call__(self, function: Function) -> Function:
        state.grad = self.before
        return super().__call__(function)

    def __enter__(self) -> None:
        state.grad = self.mode

    def __exit__(self, *exception: object) -> None:
        state.grad = self.before

    def clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.mode)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class set_multithreading_enabled(Mode):
    """Whether backwards may use threads of their own: on the CPU none does, as in torch."""

    enabled = True

    def __init__(self, mode: bool):
        self.mode, self.prev = mode, set_multithreading_enabled.enabled
        set_multithreading_enabled.enabled = mode

    def __enter__(self) -> None: ...

    def __exit__(self, *exception: object) -> None:
        set_multithreading_enabled.enabled = self.prev

    def clone(self) -> set_multithreading_enabled:
        return set_multithreading_enabled(self.mode)


class inference_mode(Mode):
    """Like `no_grad`, and the results can never take part in a recorded operation.

    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> with torch.inference_mode():
    ...     y = x * 2
    >>> y.requires_grad, y.is_inference()
    (False, True)
    """

    def __init__(self, mode: bool = True):
        self.mode = True if callable(mode) else bool(mode)

    def __enter__(self) -> None:
        self.before = state.grad, state.inference
        # inference_mode(False) records, also within no_grad
        state.grad, state.inference = not self.mode, self.mode

    def __exit__(self, *exception: object) -> None:
        state.grad, state.inference = self.before

    def clone(self) -> inference_mode:
        return inference_mode(self.mode)


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread.

    >>> with torch.no_grad():
    ...     torch.is_grad_enabled()
    False
    """
    return state.grad


def is_inference_mode_enabled() -> bool:
    """Whether `inference_mode` is on in this thread.

    >>> with torch.inference_mode():
    ...     torch.is_inference_mode_enabled()
    True
    """
    return state.inference
