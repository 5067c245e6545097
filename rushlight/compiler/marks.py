"""Marks on functions that are compiled or are not to be, and questions about what runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, TypeVar

from rushlight.compiler.region import Stance, uncompiled
from rushlight.core.settings.state import state

Function = TypeVar("Function", bound=Callable)
# names that torch knows, and those that a program registers
BACKENDS: dict[str, Any] = dict.fromkeys(
    "inductor eager aot_eager cudagraphs openxla tvm onnxrt aot_eager_decomp_partition aot_ts ts debug".split()
)
SHOWN = ["cudagraphs", "inductor", "openxla", "tvm"]
default_backend: list[Any] = ["inductor"]
stances = (
    "default",
    "eager_then_compile",
    "aot_eager_then_compile",
    "force_eager",
    "eager_on_recompile",
    "fail_on_recompile",
)


def is_compiling() -> bool:
    """Whether a compiled function runs."""
    return state.compiled


def is_dynamo_compiling() -> bool:
    """Whether a compiled function runs."""
    return state.compiled


def is_exporting() -> bool:
    """False: nothing is exported."""
    return False


def allow_in_graph(fn: Any) -> Any:
    """The function, or the functions, themselves."""
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn: Function) -> Function:
    """The function itself."""
    return fn


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None, wrapping: bool = True) -> Any:
    """The function, run as it stands also inside of compiled ones; without one a decorator, and a context.

    >>> plain = torch.compiler.disable(lambda x: x * 2)
    >>> plain(torch.ones(2))
    tensor([2., 2.])
    """
    if fn is None:
        return Disabling(reason) if recursive else Unchanged()
    inner = getattr(fn, "_torchdynamo_orig_callable", fn)
    return uncompiled(inner, reason) if recursive and isinstance(inner, FunctionType | MethodType) else inner


class Unchanged(contextlib.ContextDecorator):
    """A decorator and a context that change nothing."""

    def __call__(self, function: Any) -> Any:
        return function

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


class Disabling:
    """A decorator and a context: what is inside runs as it stands."""

    def __init__(self, reason: str | None):
        self.reason = reason

    def __call__(self, function: Any) -> Any:
        return disable(function, reason=self.reason)

    def __enter__(self) -> None:
        self.before = state.compiled
        state.compiled = False

    def __exit__(self, *exception: object) -> None:
        state.compiled = self.before


def reset() -> None:
    """Nothing: what is remembered of a network is compared with the network at each call."""


def substitute_in_graph(
    original_fn: Callable,
    *,
    can_constant_fold_through: bool = False,
    skip_signature_check: bool = False,
    **options: Any,
) -> Callable[[Function], Function]:
    """A decorator that gives the function back."""
    return lambda function: function


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The backends whose names `torch.compile` takes; all of them run the program as it is."""
    return sorted({*SHOWN, *(BACKENDS if not exclude_tags else ()), *(name for name in BACKENDS if BACKENDS[name])})


def register_backend(compiler_fn: Any = None, name: str | None = None, tags: Any = ()) -> Any:
    """Let `torch.compile` take a backend by its name; it is not called."""
    if compiler_fn is None:
        return lambda function: register_backend(function, name, tags)
    BACKENDS[name or compiler_fn.__name__] = compiler_fn
    return compiler_fn


def lookup_backend(compiler_fn: Any) -> Any:
    """A backend by its name."""
    if callable(compiler_fn):
        return compiler_fn
    if compiler_fn not in BACKENDS:
        from rushlight.compiler.entry import InvalidBackend

        raise InvalidBackend(compiler_fn)
    return BACKENDS[compiler_fn] or (lambda module, example_inputs: module.forward)


def set_default_backend(backend: Any) -> None:
    """The backend that `torch.compile` takes where none is given."""
    default_backend[0] = "inductor" if backend is None else backend


def get_default_backend() -> Any:
    """The backend that `torch.compile` takes where none is given."""
    return default_backend[0]


class set_stance(contextlib.ContextDecorator):
    """How functions that are to be compiled run, from now on or for a while: "force_eager" as they stand."""

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None):
        if stance not in stances:
            raise RuntimeError(f"invalid torch.compile stance '{stance}': one of {', '.join(stances)}")
        self.stance, self.before = stance, Stance.name
        Stance.take(stance)

    def _recreate_cm(self) -> set_stance:
        return self

    def __call__(self, function: Any) -> Any:
        # a decorator sets nothing but while the function runs
        Stance.take(self.before)
        return super().__call__(function)

    def __enter__(self) -> None:
        Stance.take(self.stance)

    def __exit__(self, *exception: object) -> None:
        Stance.take(self.before)


def set_enable_guard_collectives(enabled: bool) -> bool:
    """Nothing is guarded: False, the setting before."""
    return False


def cudagraph_mark_step_begin() -> None:
    """Nothing: there are no graphs of CUDA."""


def wrap_numpy(fn: Callable) -> Callable:
    """A function of NumPy arrays as one of tensors."""
    import functools

    import rushlight

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        def plain(value: Any) -> Any:
            return value.numpy() if isinstance(value, rushlight.Tensor) else value

        found = fn(*map(plain, args), **{name: plain(value) for name, value in kwargs.items()})
        return rushlight.as_tensor(found)

    return wrapped


def save_cache_artifacts() -> None:
    """None: nothing was compiled."""
    return None


def load_cache_artifacts(serialized_artifacts: bytes) -> None:
    """None: nothing is compiled."""
    return None


def nested_compile_region(fn: Any = None, **options: Any) -> Any:
    """The function itself."""
    return (lambda function: function) if fn is None else fn


def keep_portable_guards_unsafe(guard_entries: Any) -> list[bool]:
    """No guard is kept: there are none."""
    return [True for _ in guard_entries]


def keep_tensor_guards_unsafe(guard_entries: Any, keep_parameters: bool = False) -> list[bool]:
    """No guard is kept: there are none."""
    return [True for _ in guard_entries]


skip_guard_on_inbuilt_nn_modules_unsafe = skip_guard_on_all_nn_modules_unsafe = keep_portable_guards_unsafe
skip_guard_on_globals_unsafe = skip_all_guards_unsafe = keep_portable_guards_unsafe
