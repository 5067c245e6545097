"""Scaled gradients: what a scaler tells a fused optimizer, so that the step divides by the scale or is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.optim.flat import Moving

if TYPE_CHECKING:
    from rushlight.optim.optimizer import Optimizer


class Told:
    """An attribute of an optimizer that a scaler sets: a tensor of one number, or None."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, optimizer: Optimizer | None, owner: type) -> Any:
        if optimizer is None:
            return self
        try:
            return optimizer._scaling[self.name]
        except KeyError:
            kind = type(optimizer).__name__
            raise AttributeError(f"'{kind}' object has no attribute '{self.name}'") from None

    def __set__(self, optimizer: Optimizer, value: Tensor | None) -> None:
        optimizer._scaling = {**optimizer._scaling, self.name: value}
        # native code knows nothing of scales, and leaves a step that is looked at to Python
        optimizer._looks = True

    def __delete__(self, optimizer: Optimizer) -> None:
        optimizer._scaling = {name: value for name, value in optimizer._scaling.items() if name != self.name}


def goes_on(optimizer: Optimizer, group: dict[str, Any], params: list[Moving]) -> bool:
    """Divide the gradients of a fused group by the scale; False if the step is to be left out."""
    told = {name: value for name, value in optimizer._scaling.items() if value is not None}
    if not told or "fused" not in optimizer.defaults or not params:
        return True
    if not group["fused"]:
        raise AssertionError("Expected grad_scale and found_inf to be None")
    found_inf, grad_scale = told.get("found_inf"), told.get("grad_scale")
    if found_inf is not None and found_inf.item() == 1:
        return False
    if grad_scale is not None:
        scale = grad_scale.item()
        for param in params:
            # as in torch, the write is not counted
            array = param._grad._array
            array /= array.dtype.type(scale)
    return True
