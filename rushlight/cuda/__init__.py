"""torch.cuda on a machine that computes on its CPU: there is no device, and the questions say so."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NoReturn

from rushlight.core.surface.lazy import names_of
from rushlight.errors.warning import warn

# modules of torch.cuda, and two that packages import although torch.cuda does not show them
PARTS = ("amp", "comm", "graphs", "memory", "nccl", "nvtx", "profiler", "random", "sparse", "streams")
default_generators: tuple = ()
has_half = True
has_magma = False

REFUSED = """
can_device_access_peer current_blas_handle current_device current_stream default_stream get_device_capability
get_device_name get_device_properties get_rng_state get_sync_debug_mode init initial_seed ipc_collect mem_get_info
set_per_process_memory_fraction set_sync_debug_mode synchronize cudart set_stream check_error caching_allocator_alloc
caching_allocator_delete change_current_allocator get_allocator_backend get_per_process_memory_fraction
get_stream_from_external graph_pool_handle make_graphed_callables memory_snapshot memory_summary
host_memory_stats list_gpu_processes memory_usage utilization temperature power_draw clock_rate
"""
NO_CUDA = "Torch not compiled with CUDA enabled: Rushlight runs on the CPU"
ASK = "ask torch.cuda.is_available() before using it"


def is_available() -> bool:
    """Whether tensors can be made on a GPU: never."""
    return False


def is_initialized() -> bool:
    """Whether a GPU is in use: never."""
    return False


def _is_in_bad_fork() -> bool:
    """Whether this process was forked from one that used a GPU: never."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether a GPU computes in bfloat16: there is none."""
    return False


def is_tf32_supported() -> bool:
    """Whether a GPU computes in TF32: there is none."""
    return False


def device_count() -> int:
    """The number of GPUs: none."""
    return 0


def get_arch_list() -> list[str]:
    """The GPUs that this library was built for: none."""
    return []


def get_gencode_flags() -> str:
    """The flags this library was built with for GPUs: none."""
    return ""


def manual_seed(seed: int) -> None:
    """Seeds no generator: there is no GPU that has one. torch does the same without one."""


def manual_seed_all(seed: int) -> None:
    """Seeds no generator: there is no GPU that has one. torch does the same without one."""


def seed() -> None:
    """Seeds no generator: there is no GPU that has one. torch does the same without one."""


def seed_all() -> None:
    """Seeds no generator: there is no GPU that has one. torch does the same without one."""


def get_rng_state_all() -> list:
    """The states of the generators of all GPUs: none."""
    return []


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Sets no generator: there is no GPU that has one. torch does the same without one."""


def set_rng_state_all(new_states: Any) -> None:
    """Sets no generator: there is no GPU that has one. torch does the same without one."""


def empty_cache() -> None:
    """Frees nothing: no GPU memory is held. torch does the same without a GPU."""


def memory_allocated(device: Any = None) -> int:
    """Bytes of GPU memory in tensors: none."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def memory_cached(device: Any = None) -> int:
    """Old name of `memory_reserved`."""
    warn("`torch.cuda.memory_cached` has been renamed to `torch.cuda.memory_reserved`", FutureWarning)
    return 0


def max_memory_cached(device: Any = None) -> int:
    """Old name of `max_memory_reserved`."""
    warn("`torch.cuda.max_memory_cached` has been renamed to `torch.cuda.max_memory_reserved`", FutureWarning)
    return 0


def memory_stats(device: Any = None) -> OrderedDict:
    """What there is to say of GPU memory: nothing."""
    return OrderedDict()


def reset_peak_memory_stats(device: Any = None) -> None:
    """Forgets nothing: no GPU memory is counted."""


reset_max_memory_allocated = reset_max_memory_cached = reset_accumulated_memory_stats = reset_peak_memory_stats


def is_current_stream_capturing() -> bool:
    """Whether work is being recorded for a GPU: there is none."""
    return False


class cudaStatus:
    """Numbers that the driver returns."""

    SUCCESS = 0
    ERROR_NOT_READY = 34


class CudaError(RuntimeError):
    """A failure of the driver, which is never called."""


class DeferredCudaCallError(Exception):
    """A failure of a call that waited for a GPU."""


def set_device(device: Any) -> None:
    """Refused, unless the number is negative, as torch's way to say none."""
    if not (isinstance(device, int) and device < 0):
        raise AssertionError(f"{NO_CUDA}; there is no GPU to choose: {ASK}")


def refused(name: str) -> Callable:
    """A function that torch refuses without a GPU."""

    def function(*arguments: Any, **options: Any) -> NoReturn:
        raise AssertionError(f"{NO_CUDA}; torch.cuda.{name} has nothing to answer: {ASK}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Refused, as in torch without a GPU."
    return function


class device:
    """A GPU to work on inside a with statement: refused unless it is None or a negative number."""

    def __init__(self, device: Any):
        self.idx = -1 if device is None else getattr(device, "index", device)

    def __enter__(self) -> None:
        if isinstance(self.idx, int) and self.idx >= 0:
            raise RuntimeError(f"PyTorch was compiled without CUDA support: Rushlight runs on the CPU; {ASK}")

    def __exit__(self, *exception: object) -> None:
        return None


class device_of(device):
    """The GPU of a tensor, for a with statement: none, so that nothing happens."""

    def __init__(self, obj: Any):
        super().__init__(-1)


class StreamContext:
    """A with statement around work on a stream: None stands for no stream."""

    def __init__(self, stream: Any):
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        return None


def stream(stream: Any) -> StreamContext:
    """Work on a stream inside a with statement; without a GPU the only one is None."""
    return StreamContext(stream)


class Unavailable:
    """A class of torch that needs a GPU: objects cannot be made, `isinstance` says no."""

    def __init__(self, *arguments: Any, **options: Any):
        name = type(self).__name__
        raise RuntimeError(f"torch.cuda.{name} requires CUDA support: Rushlight runs on the CPU; {ASK}")


class Tensors(type):
    """The type of `torch.cuda.FloatTensor` and kin, which nothing is an instance of."""

    def __call__(cls, *arguments: Any, **options: Any) -> NoReturn:
        raise TypeError(
            f"type torch.cuda.{cls.__name__} not available. Torch not compiled with CUDA enabled.: "
            f"use torch.{cls.__name__}, or torch.tensor(data, dtype=...)"
        )


NEEDS_GPU = "Event Stream ExternalStream CUDAGraph CUDAPluggableAllocator MemPool graph use_mem_pool"
for _name in NEEDS_GPU.split():
    globals()[_name] = type(_name, (Unavailable,), {"__module__": "torch.cuda", "__doc__": "Needs a GPU."})
for _name in "BFloat16 Bool Byte Char Double Float Half Int Long Short".split():
    globals()[f"{_name}Tensor"] = Tensors(f"{_name}Tensor", (), {"__module__": "torch.cuda"})
for _name in REFUSED.split():
    globals()[_name] = refused(_name)

# whether a GPU was asked for its state: packages look before they do
_initialized = False

__all__ = [name for name in globals() if not name.startswith("_") and name[0] != "_"]

__getattr__ = names_of("rushlight.cuda", PARTS, {"OutOfMemoryError": "errors.kinds"})
