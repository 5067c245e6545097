"""torch._dynamo: the names that programs touch, over `rushlight.compiler`."""

from __future__ import annotations

from typing import Any

from rushlight._decomp import WHY
from rushlight._dynamo import config, eval_frame, exc, utils
from rushlight._dynamo.eval_frame import OptimizedModule, optimize, optimize_assert, run
from rushlight._dynamo.marking import (
    export,
    graph_break,
    mark_dynamic,
    mark_static,
    mark_static_address,
    maybe_mark_dynamic,
    skip_frame,
)
from rushlight.compiler.explain import explain
from rushlight.compiler.marks import (
    Unchanged,
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    lookup_backend,
    register_backend,
    reset,
    set_stance,
    substitute_in_graph,
)
from rushlight.core.surface.lazy import names_of
from rushlight.core.surface.refusals import make_modules, table

disallow_in_graph = forbid_in_graph = nonstrict_trace = allow_in_graph
__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
    "eval_frame",
    "exc",
    "explain",
    "export",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "list_backends",
    "lookup_backend",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "nonstrict_trace",
    "optimize",
    "optimize_assert",
    "register_backend",
    "reset",
    "run",
    "set_stance",
    "skip_frame",
    "substitute_in_graph",
    "utils",
]


def patch_dynamo_config(arg1: Any = None, arg2: Any = None, **kwargs: Any) -> Any:
    """Other settings for a while."""
    settings: Any = config
    return settings.patch(arg1, arg2, **kwargs)


def dont_skip_tracing(fn: Any = None) -> Any:
    """The function itself."""
    return Unchanged() if fn is None else fn


__getattr__ = names_of("rushlight._dynamo")
make_modules("rushlight._dynamo", table("backends: backends.common: aot_autograd"), WHY)
