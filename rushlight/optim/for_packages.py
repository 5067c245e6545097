"""What optimizers of other packages import from torch's own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

from rushlight.autograd.modes import set_grad_enabled
from rushlight.core.numbers.defaults import get_default_dtype
from rushlight.core.numbers.dtypes import dtype, float32, float64
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import device

StateDict: TypeAlias = dict[str, Any]
DeviceDict: TypeAlias = dict[device | None, Tensor]
DeviceDtypeDict: TypeAlias = dict[tuple[device, dtype] | None, Tensor]


def use_grad_for_differentiable(func: Callable) -> Callable:
    """Decorates a `step`: it records only if the optimizer is `differentiable`."""

    @functools.wraps(func)
    def step(*args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(args[0].defaults["differentiable"]):
            return func(*args, **kwargs)

    return step


def default_to_fused_or_foreach(params: Any, differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether fused steps, or steps over lists of tensors, are faster: neither, these are for GPUs."""
    return False, False


def capturable_devices(supports_xla: bool = True) -> list[str]:
    """Devices whose steps a graph can hold."""
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]


def disable_dynamo_if_unsupported(single_tensor_fn: Callable | None = None) -> Callable[[Callable], Callable]:
    """Decorates a function over lists of parameters: it runs as it is, compiled or not."""
    return lambda func: func


def get_value(x: Any) -> Any:
    """The number in a tensor of one element; anything else as it is."""
    return x.item() if isinstance(x, Tensor) else x


def to_scalar(x: Any) -> Any:
    """A tensor without dimensions if it has one element; anything else as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def stack_if_compiling(x: Any) -> Any:
    """A list of numbers as it is: nothing is recorded that would need a tensor."""
    return x


def view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Put pairs of real numbers in the place of complex parameters, and of what belongs to them, in the lists."""
    import rushlight

    for place, param in enumerate(params):
        if param.is_complex():
            for each in (params, *state_and_grads):
                each[place] = rushlight.view_as_real(each[place])


def get_scalar_dtype(is_fused: bool | None = None) -> dtype:
    """The dtype in which steps are counted."""
    return float64 if not is_fused and get_default_dtype() is float64 else float32


def device_dtype_check_for_fused(p: Tensor, cuda_unsupported: bool = False) -> None:
    """Refuse a parameter that no fused step takes."""
    from rushlight.utils._foreach_utils import _get_fused_kernels_supported_devices

    devices = _get_fused_kernels_supported_devices()
    if cuda_unsupported:
        devices.remove("cuda")
    if p.device.type not in devices or not p.is_floating_point():
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of supported devices: "
            f"{devices} but {p.dtype} and {p.device.type}"
        )


def group_tensors(tensorlistlist: list[list[Tensor]], with_indices: bool = False) -> dict:
    """Parallel lists of tensors, cut into groups of one device and dtype each."""
    from rushlight.utils._foreach_utils import _group_tensors_by_device_and_dtype

    return _group_tensors_by_device_and_dtype(tensorlistlist, with_indices)
