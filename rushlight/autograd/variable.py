"""Variable: the name tensors had before 2018, for old programs."""

from __future__ import annotations

from rushlight.core.object.tensor import Tensor
from rushlight.core.object.views import make_view


class VariableMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """`Variable(tensor, requires_grad=False)` gives a tensor on the same memory."""

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False):
        found = make_view(data, data._array)
        found._base = found._made = None
        found.requires_grad = bool(requires_grad)
        return found
