"""torch.xpu: Intel's GPUs, which Rushlight does not use."""

from typing import Any

from rushlight.core.surface.devices import names_without
from rushlight.core.surface.lazy import names_of

default_generators: tuple = ()
WORDS = "Torch not compiled with XPU enabled: Rushlight runs on the CPU; ask torch.xpu.is_available() before {}"


class device:
    """A GPU to work on inside a with statement: refused unless it is None or a negative number."""

    def __init__(self, device: Any):
        self.idx = -1 if device is None else getattr(device, "index", device)

    def __enter__(self) -> None:
        if isinstance(self.idx, int) and self.idx >= 0:
            raise RuntimeError(WORDS.format("xpu.device"))

    def __exit__(self, *exception: object) -> None:
        return None


_found = names_without(
    "xpu",
    AssertionError,
    WORDS,
    false="is_available is_initialized is_bf16_supported is_tf32_supported is_current_stream_capturing",
    zero="device_count memory_allocated max_memory_allocated memory_reserved max_memory_reserved",
    nothing="empty_cache manual_seed manual_seed_all seed seed_all set_rng_state_all reset_peak_memory_stats "
    "reset_accumulated_memory_stats",
    lists="get_arch_list get_rng_state_all",
    tables="memory_stats memory_stats_as_nested_dict",
    refused="can_device_access_peer current_device current_stream get_device_capability get_device_name "
    "get_device_properties get_rng_state get_stream_from_external init initial_seed mem_get_info set_device "
    "set_per_process_memory_fraction set_rng_state set_stream stream synchronize",
    classes="Event MemPool Stream StreamContext XPUGraph XPUPluggableAllocator",
)
globals().update(_found)
__all__ = ["default_generators", "device", *_found]

__getattr__ = names_of("rushlight.xpu")
