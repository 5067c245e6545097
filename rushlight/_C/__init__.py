"""torch._C: what public packages read of torch's inside; the values are Rushlight's, the answers true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight._C import _functorch, _nn
from rushlight._C.dispatch import DispatchKey, DispatchKeySet, _dispatch_key_name, _dispatch_keys
from rushlight._C.names import CLASSES, ELSEWHERE, REFUSED, WHY
from rushlight.core.memory.layout import layout, memory_format
from rushlight.core.numbers.dtypes import dtype, finfo, iinfo
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor as TensorBase
from rushlight.core.random.random import Generator
from rushlight.core.settings.device import device
from rushlight.core.settings.state import state
from rushlight.core.surface.lazy import names_of
from rushlight.core.surface.overriding import DISABLED, modes
from rushlight.core.surface.refusals import refusing, refusing_class
from rushlight.errors.kinds import LinAlgError as _LinAlgError

__all__ = [
    "DispatchKey",
    "DispatchKeySet",
    "Generator",
    "Size",
    "TensorBase",
    "_functorch",
    "_nn",
    "device",
    "dtype",
    "finfo",
    "iinfo",
    "layout",
    "memory_format",
]

_TensorBase = TensorBase
_TensorMeta = type(TensorBase)
_GLIBCXX_USE_CXX11_ABI = True
# what torch was built with: NumPy's BLAS and LAPACK are here, nothing else of these
has_lapack = has_spectral = True
has_mkl = has_openmp = False
_has_cuda = _has_cudnn = _has_cusparselt = _has_kleidiai = _has_magma = _has_mkldnn = _has_mkldnn_acl = False
_has_mps = _has_xpu = _has_eigen_sparse = False


def _has_distributed() -> bool:
    """Whether several processes can work on one model: no."""
    return False


def _log_api_usage_once(*names: str) -> None:
    """Counts nothing, as torch does unless somebody asked it to."""


def _log_api_usage_metadata(event: str, metadata_map: dict[str, str]) -> None:
    """Counts nothing, as torch does unless somebody asked it to."""


def _get_tracing_state() -> None:
    """The trace that is being recorded: none."""


def _is_tracing() -> bool:
    """Whether a trace is being recorded: no."""
    return False


def _are_functorch_transforms_active() -> bool:
    """Whether a function is being transformed."""
    return any([each.transforms for each in state.levels])


def _is_torch_function_mode_enabled() -> bool:
    """Whether a mode sees calls here."""
    return bool(modes.stack) and not state.no_modes


def _get_accelerator(check: bool | None = None) -> device:
    """The device beside which there is no other: the CPU."""
    return device("cpu")


def _get_default_device() -> str:
    """Where tensors are made: on the CPU."""
    return "cpu"


def _get_privateuse1_backend_name() -> str:
    """The name of a device of one's own, which nobody has given."""
    return "privateuseone"


def _get_cpu_capability() -> str:
    """The instructions that the kernels use."""
    from rushlight.backends.cpu import get_cpu_capability

    return get_cpu_capability()


def _show_config() -> str:
    """What this library is made of, as `torch.__config__.show()` has it."""
    from rushlight.__config__ import show

    return show()


def _parallel_info() -> str:
    """What runs in parallel, as `torch.__config__.parallel_info()` has it."""
    from rushlight.__config__ import parallel_info

    return parallel_info()


def _cuda_getDeviceCount() -> int:
    """The number of GPUs: none."""
    return 0


def _cuda_isInBadFork() -> bool:
    """Whether a GPU was used before a fork: there is none."""
    return False


def _is_alias_of(one: Any, other: Any) -> bool:
    """Whether two tensors share their memory."""
    return bool(one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()) and one.numel() > 0


_disabled_torch_function_impl = _disabled_torch_dispatch_impl = DISABLED


def _add_docstr(thing: Any, text: str) -> Any:
    """A function with this documentation."""
    thing.__doc__ = text
    return thing


def _infer_size(one: Any, other: Any) -> Size:
    """The shape of two shapes that are broadcast together."""
    from rushlight.ops.shape.broadcasting import broadcast_shapes

    return broadcast_shapes(one, other)


def _set_grad_enabled(enabled: bool) -> None:
    """Switch recording on or off."""
    from rushlight.autograd.modes import state

    state.grad = bool(enabled)


def _fused_nothing(*arguments: Any) -> bool:
    """A switch of TorchScript's fusers, which are not there: it was off, and stays off."""
    return False


# switches that programs turn before they measure; nothing is fused, which is what False says
_FUSERS = """
_jit_can_fuse_on_cpu _jit_can_fuse_on_gpu _jit_can_fuse_on_cpu_legacy _jit_override_can_fuse_on_cpu
_jit_override_can_fuse_on_gpu _jit_override_can_fuse_on_cpu_legacy _jit_nvfuser_enabled _jit_set_nvfuser_enabled
_jit_set_nvfuser_guard_mode _jit_set_nvfuser_single_node_mode _jit_set_nvfuser_fusion _jit_nvfuser_horizontal_mode
_jit_set_profiling_executor _jit_set_profiling_mode _jit_set_texpr_fuser_enabled _jit_texpr_fuser_enabled
_jit_set_bailout_depth _jit_set_num_profiled_runs _jit_set_autocast_mode _jit_set_te_must_use_llvm_cpu
"""
globals().update(dict.fromkeys(_FUSERS.split(), _fused_nothing))

_found = names_of("rushlight._C", ("_distributed_rpc",), ELSEWHERE)


def __getattr__(name: str) -> Any:
    """The rest: names that live elsewhere in Rushlight, and what is there to be imported only."""
    if name in CLASSES:
        return globals().setdefault(name, refusing_class(f"_C.{name}", WHY))
    if name in REFUSED:
        return globals().setdefault(name, refusing(f"_C.{name}", WHY))
    if name in ("_VariableFunctions", "_VariableFunctionsClass", "StorageBase"):
        import rushlight

        return rushlight.UntypedStorage if name == "StorageBase" else rushlight
    return _found(name)
