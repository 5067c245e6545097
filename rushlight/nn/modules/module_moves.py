"""A module's tensors changed all at once: another dtype, another device, or a function applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import rushlight.__future__ as flags
from rushlight.autograd.modes import no_grad
from rushlight.core.creation.likeness import empty_like
from rushlight.core.numbers import dtypes
from rushlight.core.object.attributes import set_data
from rushlight.core.object.swapping import swap_tensors
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.device import check_device, is_meta
from rushlight.nn.parameter import Parameter, is_lazy
from rushlight.ops.shape.conversion import read_target

if TYPE_CHECKING:
    from rushlight.nn.modules.module import Module


class Moves:
    """The part of a module that converts and moves its parameters and buffers."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    if TYPE_CHECKING:
        _modules: dict[str, Module | None]
        parameters: Any
        buffers: Any

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Put `fn(tensor)` in place of each parameter's data, each gradient and each buffer."""
        if recurse:
            for module in self._modules.values():
                if module is not None:
                    module._apply(fn)
        with no_grad():
            for name, parameter in self._parameters.items():
                if parameter is not None:
                    self._parameters[name] = converted(self, name, parameter, fn)
            for name, buffer in self._buffers.items():
                if is_lazy(buffer):
                    buffer.data = fn(buffer.data)  # type: ignore[union-attr]
                elif buffer is not None:
                    self._buffers[name] = fn(buffer)
        return self

    def to(
        self,
        *args: Any,
        device: Any = None,
        dtype: dtypes.dtype | None = None,
        non_blocking: bool = False,
        memory_format: Any = None,
    ) -> Self:
        """Convert the floating point parameters and buffers to a dtype, in place.

        Takes `to(dtype)`, `to(device)`, `to(device, dtype)`, `to(tensor)`; on the device 'meta' they have no memory.
        """
        if args:
            found_device, found_dtype, _ = read_target(args)
            device, dtype = found_device or device, found_dtype or dtype
        if device is not None:
            check_device(device)
        if dtype is not None and not dtypes.checked(dtype).differentiable:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )

        def convert(tensor: Tensor) -> Tensor:
            wanted = dtype if tensor.dtype.differentiable else None
            form = memory_format if tensor.ndim in (4, 5) else None
            if tensor.is_meta and device is not None and not is_meta(device):
                raise NotImplementedError(
                    "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
                    "torch.nn.Module.to() when moving module from meta to a different device."
                )
            return tensor.to(device=device, dtype=wanted, memory_format=form)

        return self._apply(convert)

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers, the integers among them, to a dtype."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    def float(self) -> Self:
        """Convert the floating point parameters and buffers to float32."""
        return self._apply(floats_to(dtypes.float32))

    def double(self) -> Self:
        """Convert the floating point parameters and buffers to float64."""
        return self._apply(floats_to(dtypes.float64))

    def half(self) -> Self:
        """Convert the floating point parameters and buffers to float16."""
        return self._apply(floats_to(dtypes.float16))

    def bfloat16(self) -> Self:
        """Convert the floating point parameters and buffers to bfloat16."""
        return self._apply(floats_to(dtypes.bfloat16))

    def cpu(self) -> Self:
        """The module itself: it is on the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Refused: Rushlight runs on the CPU."""
        return self._apply(lambda tensor: tensor.cuda(device))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Give all parameters and buffers fresh memory with nothing in particular in it."""
        check_device(device)
        return self._apply(lambda tensor: empty_like(tensor, device=device), recurse)

    def share_memory(self) -> Self:
        """Share the parameters' memory between processes; see `Tensor.share_memory_`."""
        # not by _apply, whose view of each parameter would have to be looked for among all objects
        for param in self.parameters():
            param.share_memory_()
            if param.grad is not None:
                param.grad.share_memory_()
        for buffer in self.buffers():
            buffer.share_memory_()
        return self


def converted(module: Any, name: str, parameter: Any, fn: Callable[[Tensor], Tensor]) -> Any:
    """What becomes of a parameter: itself with other data, or as `torch.__future__` says."""
    if is_lazy(parameter):
        parameter.data = fn(parameter.data)
        return parameter
    data, grad = fn(parameter.data), parameter._grad
    if flags.get_swap_module_params_on_conversion():
        parameter._grad = None
        swapped = Parameter(data, parameter.requires_grad)
        try:
            swap_tensors(parameter, swapped)
        except RuntimeError as error:
            parameter._grad = grad
            raise RuntimeError(f"_apply(): Couldn't swap {module._get_name()}.{name}: {error}") from error
    elif flags.get_overwrite_module_params_on_conversion():
        parameter = Parameter(data, parameter.requires_grad)
    else:
        set_data(parameter, data)
    if grad is not None:
        parameter._grad = converted_grad(grad, fn)
    return parameter


def converted_grad(grad: Tensor, fn: Callable[[Tensor], Tensor]) -> Tensor:
    """The gradient itself with other data, unless parameters are overwritten."""
    if flags.get_overwrite_module_params_on_conversion():
        return fn(grad).requires_grad_(grad.requires_grad)
    set_data(grad, fn(grad.data))  # which keeps its history
    return grad


def floats_to(kind: dtypes.dtype) -> Callable[[Tensor], Tensor]:
    return lambda tensor: tensor.to(kind) if tensor.dtype.is_floating_point else tensor
