"""Casting: what autocast does to one call: its tensors in another dtype, and the call once more without autocast."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from rushlight.amp import lists
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.state import state
from rushlight.core.surface.overriding import modes, watch_modes

SHORT = (dtypes.bfloat16, dtypes.float16)


class Settings(threading.local):
    """What this thread has chosen: devices where autocast is on, and their dtypes."""

    def __init__(self) -> None:
        self.enabled: dict[str, bool] = {}
        self.dtypes: dict[str, dtypes.dtype] = {"cpu": dtypes.bfloat16}
        self.keeps = True
        self.nesting = 0


settings = Settings()
# parameters in the short dtype: what they were made of, and they themselves, until the outermost block ends
kept: dict[tuple[int, dtypes.dtype], tuple[weakref.ref, Tensor]] = {}
# by function: a policy, what chooses one by the arguments, or None
policies: dict[Callable, Any] = {}
UNKNOWN = object()


def switch(enabled: bool) -> None:
    """Let calls of this thread be cast, or no longer."""
    if enabled != (modes.casting is not None):
        modes.casting = cast_call if enabled else None
        watch_modes(1 if enabled else -1)


def cast_call(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The result of a call under autocast; NotImplemented for a function that takes its tensors as they are."""
    policy = policies.get(function, UNKNOWN)
    if policy is UNKNOWN:
        policy = policies[function] = policy_of(function)
    if callable(policy):
        policy = policy(*args, **kwargs)
    if policy is None or kwargs.get("out") is not None:
        return NotImplemented
    if policy is lists.PARTS:
        return in_parts(function, *args, **kwargs)
    if policy is not lists.UNCHANGED:
        wanted = CHOICES[policy]((*args, *kwargs.values()))
        args = tuple([cast(each, wanted) for each in args])
        kwargs = {name: cast(each, wanted) for name, each in kwargs.items()}
    with suspended():
        return function(*args, **kwargs)


class suspended:
    """Inside, autocast is off: the parts of a call that was cast take what they are given."""

    def __enter__(self) -> None:
        self.before, modes.casting = modes.casting, None

    def __exit__(self, *exception: object) -> None:
        modes.casting = self.before


def policy_of(function: Callable) -> Any:
    """What the lists say of a function, under its own name or that of its op; nothing of forms that write."""
    from rushlight.core.surface.overridable_names import names

    if function.__name__.endswith("_") and not function.__name__.endswith("__"):
        return None
    public = names().get(function) or f"{getattr(function, '__module__', None)}.{function.__name__}"
    op = getattr(function, "op", None)
    # the longest name first: `masked.prod` is no `prod`
    known = (public.removeprefix("torch.").removeprefix("rushlight.").removeprefix("Tensor."), function.__name__)
    return next(filter(None, map(lists.POLICIES.get, (*known, "" if op is None else op.name))), None)


def is_eligible(value: Tensor) -> bool:
    """Whether a tensor is cast at all: floats on the CPU, but for doubles."""
    return value.is_floating_point() and value.dtype is not dtypes.float64 and value.is_cpu


def cast(value: Any, wanted: dtypes.dtype) -> Any:
    """A tensor, or each of a list, in the wanted dtype; anything else as it is."""
    if isinstance(value, Tensor):
        return value if value.dtype is wanted or not is_eligible(value) else converted(value, wanted)
    if type(value) in (list, tuple):
        return type(value)([cast(each, wanted) for each in value])
    return value


def converted(value: Tensor, wanted: dtypes.dtype) -> Tensor:
    """The tensor in another dtype; that of a parameter is kept, since many calls will ask for it."""
    keeps = settings.keeps and state.grad and not state.inference and wanted is settings.dtypes["cpu"]
    if not (keeps and value.dtype is dtypes.float32 and value.requires_grad and value.is_leaf and not value._is_view()):
        return value.to(wanted)
    known = kept.get((id(value), wanted))
    if known is not None and known[0]() is value:
        return known[1]
    made = value.to(wanted)
    kept[id(value), wanted] = weakref.ref(value), made
    return made


def widest(values: tuple) -> dtypes.dtype:
    """The dtype for all: float32 if there is one, or else that of autocast."""
    found = short = settings.dtypes["cpu"]
    for value in values:
        for each in value if type(value) in (list, tuple) else (value,):
            if not isinstance(each, Tensor) or not is_eligible(each):
                continue
            if dtypes.float32 in (found, each.dtype):
                found = dtypes.float32
            elif each.dtype is not short:
                raise RuntimeError(
                    f"Unexpected floating ScalarType in at::autocast::prioritize: autocast in {short} met a tensor of "
                    f"{each.dtype}; convert it with .float()"
                )
    return found


def in_parts(function: Callable, tensors: list[Tensor], sizes: Any = None, backwards: bool = False) -> tuple:
    """A recurrent layer out of plain ops, whose products are cast one by one."""
    from rushlight.ops.sequences.recurrent import gru, lstm

    layer = lstm if "lstm" in function.__name__ else gru
    return layer.plain(tensors, sizes, backwards)


CHOICES: dict[str, Callable[[tuple], dtypes.dtype]] = {
    lists.LOWER: lambda values: settings.dtypes["cpu"],
    lists.FLOAT32: lambda values: dtypes.float32,
    lists.WIDEST: widest,
}
