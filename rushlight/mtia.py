"""torch.mtia: Meta's accelerators, which Rushlight does not use."""

from rushlight.core.surface.devices import names_without
from rushlight.core.surface.lazy import names_of

_found = names_without(
    "mtia",
    RuntimeError,
    "Cannot execute {}() without MTIA backend. Rushlight runs on the CPU: ask torch.mtia.is_available() first",
    false="is_available is_initialized is_bf16_supported",
    zero="device_count memory_allocated max_memory_allocated",
    nothing="manual_seed manual_seed_all seed seed_all",
    tables="memory_stats",
    refused="current_device current_stream default_stream empty_cache get_device_capability get_device_properties "
    "get_rng_state init initial_seed record_memory_history reset_peak_memory_stats set_device set_rng_state set_stream "
    "snapshot stream synchronize",
    classes="Event MTIAGraph Stream StreamContext device",
)
globals().update(_found)
__all__ = [*_found]

__getattr__ = names_of("rushlight.mtia")
