"""Types of tensors with sizes, as annotations."""

from __future__ import annotations

from typing import Any

__all__ = ["Dyn", "TensorType"]


class TensorType:
    """A tensor of these sizes; `Dyn` stands for one that is not known."""

    def __init__(self, dim: Any):
        self.__origin__ = TensorType
        self.__args__ = dim

    def __repr__(self) -> str:
        return f"TensorType[{self.__args__}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorType) and list(self.__args__) == list(other.__args__)

    def __hash__(self) -> int:
        return hash(tuple(self.__args__))

    def __class_getitem__(cls, given: Any) -> TensorType:
        return cls(given if isinstance(given, tuple) else (given,))


class _DynType:
    """A size that is not known."""

    def __repr__(self) -> str:
        return "Dyn"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _DynType)

    def __hash__(self) -> int:
        return hash("Dyn")


Dyn = _DynType()
