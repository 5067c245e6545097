"""Lazy modules: layers that learn the shape of their weights from the first input, and then become plain ones."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from rushlight.autograd.handles import RemovableHandle
from rushlight.autograd.modes import no_grad
from rushlight.core.numbers.dtypes import dtype as Dtype
from rushlight.core.object.tensor import Tensor
from rushlight.nn.modules.linear import Linear
from rushlight.nn.parameter import UninitializedParameter, is_lazy

if TYPE_CHECKING:
    # what a class with this mixin is besides
    from rushlight.nn.modules.module import Module as Base
else:
    Base = object

__all__ = ["LazyLinear", "LazyModuleMixin"]


class LazyModuleMixin(Base):
    """For layers with uninitialized parameters: the first call gives these their shapes.

    >>> layer = torch.nn.LazyLinear(3)
    >>> layer(torch.ones(2, 5)).shape, layer
    (torch.Size([2, 3]), Linear(in_features=5, out_features=3, bias=True))

    A subclass defines `initialize_parameters(*input)`; after the first call its class is `cls_to_become`.
    """

    cls_to_become: type | None = None
    _load_hook: RemovableHandle
    _initialize_hook: RemovableHandle

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Give the parameters their shapes, from the first input; every subclass defines it."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or a buffer still has no shape."""
        return any(is_lazy(each) for each in itertools.chain(self._parameters.values(), self._buffers.values()))

    def _infer_parameters(self, module: Any, args: tuple, kwargs: dict | None = None) -> None:
        """The hook of the first call."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _save_to_state_dict(self, destination: dict, prefix: str, keep_vars: bool) -> None:
        # what has no shape is saved as it is
        for name, value in (*self._parameters.items(), *self._buffers.items()):
            if value is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = value if is_lazy(value) or keep_vars else value.detach()

    def _lazy_load_hook(self, state_dict: dict, prefix: str, *_: Any) -> None:
        """Before loading: parameters get the shapes of those in the state dict."""
        for name, own in (*self._parameters.items(), *self._buffers.items()):
            given = state_dict.get(prefix + name)
            if is_lazy(own) and given is not None and not is_lazy(given):
                own.materialize(given.shape)  # type: ignore[union-attr]


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` that takes `in_features` from its first input."""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Dtype | None = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the weights anew, once there are any."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take `in_features` from the input's last dimension."""
        if self.has_uninitialized_params():
            with no_grad():
                self.in_features = input.shape[-1]
                materialize(self.weight, self.out_features, self.in_features)
                materialize(self.bias, self.out_features)
                self.reset_parameters()
        if self.in_features == 0:
            # loaded from the state dict of another
            if input.shape[-1] != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {input.shape[-1]} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = input.shape[-1]


def materialize(tensor: Any, *shape: int) -> None:
    """Give a parameter or buffer its shape, if there is one that lacks it."""
    if is_lazy(tensor):
        tensor.materialize(shape)
