"""Regions: what runs inside of a compiled function, where pointwise calls are put off and done together.

The function itself runs each time, so that nothing which it reads or does has to be guarded against. Native code puts
large pointwise calls off (`native/seam/pending.h`) and does them block by block before anybody can see their numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.core.settings.state import state
from rushlight.errors.breaks import refuse
from rushlight.native import extension


class Stance:
    """How functions that are to be compiled run: as `set_stance` says."""

    name = "default"

    @classmethod
    def take(cls, name: str) -> None:
        cls.name = name
        if extension is not None:
            extension.force_eager(name == "force_eager")


def compiled(function: Callable, fullgraph: bool = False) -> Callable:
    """The function, its chains of pointwise calls done in one pass; with `fullgraph` numbers may not leave it."""
    if extension is not None:
        made = extension.make_compiled(function, fullgraph)
        made.__dict__.update(getattr(function, "__dict__", {}))
        made._torchdynamo_orig_callable = function
        return made

    def run(*args: Any, **kwargs: Any) -> Any:
        return run_compiled(function, fullgraph, args, kwargs)

    return named_after(run, function)


def run_plainly(function: Callable, fullgraph: bool, args: tuple, kwargs: dict[str, Any]) -> Any:
    """One call of a compiled function; what it calls is compiled with it."""
    if (state.compiled and state.whole >= fullgraph) or Stance.name == "force_eager":
        return function(*args, **kwargs)
    before = state.compiled, state.whole
    state.compiled = True
    state.whole = fullgraph or before[1]
    try:
        return function(*args, **kwargs)
    finally:
        state.compiled, state.whole = before


run_compiled: Callable = run_plainly if extension is None else extension.run_compiled


def uncompiled(function: Callable, reason: str | None = None) -> Callable:
    """The function, run as it stands also where a compiled one calls it."""

    def run(*args: Any, **kwargs: Any) -> Any:
        if not state.compiled:
            return function(*args, **kwargs)
        if state.whole:
            refuse(f"{describe_function(function)} is not to be compiled" + (f": {reason}" if reason else ""))
        state.compiled = False
        try:
            return function(*args, **kwargs)
        finally:
            state.compiled = True

    run._torchdynamo_disable = True  # type: ignore[attr-defined]
    return named_after(run, function)


def named_after(run: Callable, function: Callable) -> Any:
    """A wrapper with the name of what is inside, and torch's name for that."""
    made: Any = functools.update_wrapper(run, function)
    made._torchdynamo_orig_callable = function
    return made


def describe_function(function: Callable) -> str:
    return getattr(function, "__qualname__", type(function).__name__)
