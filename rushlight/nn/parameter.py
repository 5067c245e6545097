"""Parameters and buffers: the tensors that belong to a module."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes
from rushlight.core.attributes import make_subclass
from rushlight.core.filled import empty
from rushlight.core.tensor import Tensor
from rushlight.native import core
from rushlight.ops.bind import OPERAND_TYPES

__all__ = ["Buffer", "Parameter"]


class Parameter(Tensor):
    """A tensor that a module learns: assigned to a module it joins `module.parameters()`.

    >>> torch.nn.Parameter(torch.zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)

    It shares the memory of `data`; results of operations on it are plain tensors.
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True):
        data = checked_data(data)
        if requires_grad and data._array.dtype not in dtypes.DIFFERENTIABLE:
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients; this one is "
                f"{data.dtype}: pass requires_grad=False, or convert it with .float()"
            )
        return make_subclass(cls, data, requires_grad)

    def __deepcopy__(self, memo: dict) -> Parameter:
        # as in torch, the copy has no gradient
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


# operators then take a parameter without asking what it is: 0.2 us less
OPERAND_TYPES.add(Parameter)
if core is not None:
    core.set_parameter_class(Parameter)


class Buffer(Tensor):
    """A tensor that a module keeps but does not learn: assigned to a module it joins `module.buffers()`."""

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True):
        data = checked_data(data)
        made: Any = make_subclass(cls, data, data.requires_grad)
        made.persistent = persistent
        return made


def checked_data(data: Any) -> Tensor:
    if data is None:
        return empty(0)
    if not isinstance(data, Tensor):
        raise AttributeError(
            f"'{type(data).__name__}' object has no attribute 'detach': a parameter is made of a tensor; "
            "write torch.tensor(...) around the numbers"
        )
    return data
