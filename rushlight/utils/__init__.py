"""Utilities around tensors: data, checkpointing, hooks."""

from rushlight.core.surface.lazy import names_of as _names_of

LAZY = (
    *("_content_store", "_contextlib", "_device", "_foreach_utils", "_import_utils", "_python_dispatch", "_pytree"),
    *("_traceback", "_triton", "_typing_utils", "backend_registration", "benchmark", "bundled_inputs", "checkpoint"),
    *("collect_env", "cpp_extension", "data", "deterministic", "dlpack", "flop_counter", "hooks", "mobile_optimizer"),
    *("model_zoo", "serialization", "tensorboard", "throughput_benchmark", "weak"),
)
ELSEWHERE = {"swap_tensors": "core.object.swapping", "ThroughputBenchmark": "utils.throughput_benchmark"}
__getattr__ = _names_of("rushlight.utils", LAZY, ELSEWHERE)
