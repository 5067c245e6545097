"""Mixed precision: `autocast` is for GPUs and switches itself off here; `GradScaler` works on the CPU too."""

from rushlight.amp.autocast_mode import (
    autocast,
    clear_autocast_cache,
    custom_bwd,
    custom_fwd,
    get_autocast_cpu_dtype,
    get_autocast_dtype,
    get_autocast_gpu_dtype,
    is_autocast_available,
    is_autocast_cache_enabled,
    is_autocast_cpu_enabled,
    is_autocast_enabled,
    set_autocast_cache_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)
from rushlight.amp.grad_scaler import GradScaler
from rushlight.core.surface.lazy import names_of

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

__getattr__ = names_of("rushlight.amp")
