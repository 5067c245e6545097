"""torch.compiler: compiled functions, marks for them, and the questions that programs ask."""

from rushlight.compiler.config import config
from rushlight.compiler.entry import compile
from rushlight.compiler.marks import (
    allow_in_graph,
    assume_constant_result,
    cudagraph_mark_step_begin,
    disable,
    get_default_backend,
    is_compiling,
    is_dynamo_compiling,
    is_exporting,
    keep_portable_guards_unsafe,
    keep_tensor_guards_unsafe,
    list_backends,
    load_cache_artifacts,
    nested_compile_region,
    reset,
    save_cache_artifacts,
    set_default_backend,
    set_enable_guard_collectives,
    set_stance,
    skip_all_guards_unsafe,
    skip_guard_on_all_nn_modules_unsafe,
    skip_guard_on_globals_unsafe,
    skip_guard_on_inbuilt_nn_modules_unsafe,
    substitute_in_graph,
    wrap_numpy,
)
from rushlight.core.surface.lazy import names_of

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "config",
    "cudagraph_mark_step_begin",
    "disable",
    "get_default_backend",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "keep_portable_guards_unsafe",
    "keep_tensor_guards_unsafe",
    "list_backends",
    "load_cache_artifacts",
    "nested_compile_region",
    "reset",
    "save_cache_artifacts",
    "set_default_backend",
    "set_enable_guard_collectives",
    "set_stance",
    "skip_all_guards_unsafe",
    "skip_guard_on_all_nn_modules_unsafe",
    "skip_guard_on_globals_unsafe",
    "skip_guard_on_inbuilt_nn_modules_unsafe",
    "substitute_in_graph",
    "wrap_numpy",
]

__getattr__ = names_of("rushlight.compiler")
