"""torch.mps: Apple's GPUs, which Rushlight does not use."""

from rushlight.core.surface.devices import names_without
from rushlight.core.surface.lazy import names_of

_found = names_without(
    "mps",
    RuntimeError,
    "Cannot execute {}() without MPS backend. Rushlight runs on the CPU: ask torch.backends.mps.is_available() first",
    false="is_available",
    zero="device_count",
    nothing="manual_seed seed",
    refused="compile_shader current_allocated_memory driver_allocated_memory empty_cache get_rng_state load_metallib "
    "recommended_max_memory set_per_process_memory_fraction set_rng_state synchronize",
    classes="Event",
)
globals().update(_found)
__all__ = [*_found]

__getattr__ = names_of("rushlight.mps")
