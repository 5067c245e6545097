"""Options of optimizers: what they may be, in torch's words."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.tensor import Tensor

# what a checkpoint of an older version may lack, for most methods
YOUNGER: dict[str, Any] = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}


def require(condition: Any, message: str, value: Any) -> None:
    """Refuse an option in torch's words."""
    if not condition:
        raise ValueError(message.format(value))


def require_one_element(lr: Any) -> None:
    """A learning rate may be a tensor of one element."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def require_rate(lr: Any) -> None:
    """A learning rate is a number from 0 on, or a tensor of one element."""
    require_one_element(lr)
    require(lr >= 0.0, "Invalid learning rate: {}", lr)


def require_betas(betas: Any) -> None:
    """Two numbers from 0 to below 1."""
    for place, beta in enumerate(betas[:2]):
        require(0.0 <= beta < 1.0, f"Invalid beta parameter at index {place}: {{}}", beta)


def require_kin_of_adam(lr: Any, betas: Any, eps: Any, weight_decay: Any) -> None:
    """What the methods with two running means ask for, in torch's order."""
    require_rate(lr)
    require(eps >= 0.0, "Invalid epsilon value: {}", eps)
    require_betas(betas)
    require(weight_decay >= 0.0, "Invalid weight_decay value: {}", weight_decay)


def require_one_form(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """`fused` is torch's fastest form, which excludes others; here all forms are one."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def scalar(value: Any) -> Any:
    """A tensor of one element without dimensions; a number as it is."""
    return value.squeeze() if isinstance(value, Tensor) and value.dim() else value


def plain(group: dict[str, Any]) -> dict[str, Any]:
    """The options with numbers in place of tensors."""
    for value in group.values():
        kind = type(value)
        if isinstance(value, Tensor) or (kind is tuple and isinstance(value[0], Tensor)):
            return {name: number(each) for name, each in group.items()}
    return group


def number(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(number(each) for each in value)
    return value.item() if isinstance(value, Tensor) else value
