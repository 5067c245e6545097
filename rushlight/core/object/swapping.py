"""Swapping: two tensors change places, all that they are and hold, while everyone keeps the objects they have."""

from __future__ import annotations

from weakref import getweakrefcount

from rushlight.core.object.fields import NAMES
from rushlight.core.object.tensor import Tensor


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Let two tensors change places: class, data, gradient, attributes.

    >>> a, b = torch.ones(1), torch.nn.Parameter(torch.zeros(2))
    >>> torch.utils.swap_tensors(a, b)
    >>> a
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """
    for name, each in (("t1", t1), ("t2", t2)):
        if getweakrefcount(each):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    if slots_of(type(t1)) != slots_of(type(t2)):
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    one, two = taken(t1), taken(t2)
    t1.__class__, t2.__class__ = type(t2), type(t1)
    put(t1, two)
    put(t2, one)


def slots_of(kind: type) -> set[str]:
    return {name for each in kind.__mro__ if issubclass(each, Tensor) for name in each.__dict__.get("__slots__", ())}


def taken(tensor: Tensor) -> tuple[dict, dict]:
    """The fields of a tensor, and the attributes that it was given besides."""
    fields = {name: getattr(tensor, name) for name in NAMES}
    return fields, dict(tensor.__dict__)


def put(tensor: Tensor, values: tuple[dict, dict]) -> None:
    fields, attributes = values
    tensor.__dict__.clear()
    tensor.__dict__.update(attributes)
    for name, value in fields.items():
        setattr(tensor, name, value)
