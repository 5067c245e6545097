"""torch.compile: a function whose chains of pointwise calls run in one pass; a module around one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.compiler.marks import BACKENDS, default_backend
from rushlight.compiler.region import compiled
from rushlight.nn.modules.module import Module

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


class InvalidBackend(RuntimeError):
    """A backend that nobody has registered."""

    def __init__(self, name: str):
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


def compile(
    model: Callable | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """The function or the module, whose chains of pointwise calls run in one pass over memory.

    The function itself runs at each call, so that shapes, branches and whatever it reads may change; calls on large
    tensors wait until somebody looks at their numbers. With `fullgraph=True` a look inside of the function is an error.

    >>> double = torch.compile(lambda x: x * 2)
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """
    check(dynamic, backend, mode, options)
    if model is None:
        return functools.partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable
        )
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if isinstance(model, Module):
        from rushlight._dynamo.eval_frame import OptimizedModule

        return model if disable else OptimizedModule(model, fullgraph)
    if disable or isinstance(model, type):
        return model
    return compiled(model, fullgraph)


def check(dynamic: Any, backend: Any, mode: str | None, options: dict[str, Any] | None) -> None:
    """Raise in torch's words for what it refuses."""
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    chosen = default_backend[0] if backend is None else backend
    if isinstance(chosen, str) and chosen not in BACKENDS:
        raise InvalidBackend(chosen)
    if dynamic not in (None, True, False) or (isinstance(dynamic, int) and not isinstance(dynamic, bool)):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    if options is not None and not isinstance(options, dict):
        raise RuntimeError(f"options is a dict of settings, not {type(options).__name__}")
