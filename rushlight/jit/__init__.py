"""torch.jit: programs run as they are written, so `script` and `trace` give back what they get.

There is no TorchScript here: what a scripted or traced program computes, the program itself computes. Files of
TorchScript are neither written nor read.
"""

from typing import Any

from rushlight._jit_internal import (
    Final,
    Future,
    _drop,
    _overload,
    _overload_method,
    export,
    ignore,
    is_scripting,
    is_tracing,
    unused,
)
from rushlight.core.surface.lazy import names_of
from rushlight.jit._async import fork, wait
from rushlight.jit._refused import (
    _get_trace_graph,
    export_opnames,
    freeze,
    load,
    optimize_for_inference,
    run_frozen_optimizations,
    save,
)
from rushlight.jit._script import (
    Attribute,
    CompilationUnit,
    Error,
    RecursiveScriptClass,
    RecursiveScriptModule,
    ScriptFunction,
    ScriptModule,
    ScriptWarning,
    annotate,
    interface,
    isinstance,
    script,
    script_if_tracing,
    script_method,
)
from rushlight.jit._settings import (
    enable_onednn_fusion,
    fuser,
    last_executed_optimized_graph,
    onednn_fusion_enabled,
    optimized_execution,
    set_fusion_strategy,
    strict_fusion,
)
from rushlight.jit._trace import (
    TopLevelTracedModule,
    TracedModule,
    TracerWarning,
    TracingCheckError,
    trace,
    trace_module,
)

_fork, _wait, _isinstance, _script_if_tracing, _set_fusion_strategy = (
    fork,
    wait,
    isinstance,
    script_if_tracing,
    set_fusion_strategy,
)


def _unwrap_optional(x: Any) -> Any:
    """A value that is not None."""
    if x is None:
        raise AssertionError("Unwrapping null optional")
    return x


__all__ = [
    "Attribute",
    "CompilationUnit",
    "Error",
    "Final",
    "Future",
    "RecursiveScriptClass",
    "RecursiveScriptModule",
    "ScriptFunction",
    "ScriptModule",
    "ScriptWarning",
    "TopLevelTracedModule",
    "TracedModule",
    "TracerWarning",
    "TracingCheckError",
    "annotate",
    "enable_onednn_fusion",
    "export",
    "export_opnames",
    "fork",
    "freeze",
    "fuser",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "last_executed_optimized_graph",
    "load",
    "onednn_fusion_enabled",
    "optimize_for_inference",
    "optimized_execution",
    "run_frozen_optimizations",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "set_fusion_strategy",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

__getattr__ = names_of("rushlight.jit", ("_state",))
