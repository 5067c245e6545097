"""Binding: from one declaration to the torch function, the Tensor method, the in-place form and the operator."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.tensor import Tensor, wrap
from rushlight.native import core

if TYPE_CHECKING:
    from rushlight.ops.declare import Op

# public names by module: {"": {"add": ...}, "linalg": {"pinv": ...}}
NAMESPACES: dict[str, dict[str, Any]] = {"": {}}

# operators by name: "add", "radd", "iadd" ...
FORMS: dict[str, Callable] = {}

OPERAND_TYPES = {Tensor, int, float, bool, complex, np.float64}
UNARY = {"neg", "pos", "abs"}
# no reflected and no in-place form: Python reflects comparisons itself
ONE_FORM = {"eq", "ne", "lt", "le", "gt", "ge", "rsub"}


def bind(op: Op) -> None:
    """Give an op all its public forms."""
    module, _, name = op.name.rpartition(".")
    for each in (name, *op.aliases):
        place, _, alias = each.rpartition(".")
        names = NAMESPACES.setdefault(place if "." in each else module, {})
        names[alias] = op.function
        if op.is_method and "." not in each:
            setattr(Tensor, each, op.function)
            if op.inplace is not None:
                setattr(Tensor, each + "_", op.inplace)
        if op.inplace is not None:
            names[alias + "_"] = op.inplace
    if op.operator is not None:
        bind_operator(op)


def bind_operator(op: Op) -> None:
    from rushlight.ops.declare import OPERATORS

    name = OPERATORS[op.operator]
    bind_form(name, op.function, op.function if name in UNARY else forward(op.function, name))
    if name in UNARY or name in ONE_FORM:
        return
    bind_form("r" + name, op.function, backward(op.function, name))
    if op.inplace is not None:
        bind_form("i" + name, op.inplace, forward(op.inplace, "i" + name))


def bind_form(name: str, function: Callable, operator: Callable) -> None:
    """Make one form of an operator known: to the native base type, which has slots for them, or as a method."""
    FORMS[name] = operator
    if core is None:
        setattr(Tensor, f"__{name}__", operator)
    elif name in ONE_FORM or name in UNARY or name[0] != "r" or name == "rshift":
        core.set_operator(name, function)


def operate(name: str, self: Tensor, other: Any) -> Any:
    """An operator with an operand that native code does not know."""
    found = FORMS.get(name)
    return NotImplemented if found is None else found(self, other)


if core is not None:
    core.connect(operate=operate)


def accepts(value: Any) -> bool:
    """Whether an operator knows what to do with the other side."""
    return type(value) in OPERAND_TYPES or isinstance(value, (Tensor, numbers.Number, np.generic, np.ndarray))


def as_operand(value: Any) -> Any:
    return wrap(value) if isinstance(value, np.ndarray) else value


def forward(function: Callable, name: str) -> Callable:
    """The operator with the tensor on the left."""

    def operate(self, other):
        if type(other) in OPERAND_TYPES:
            return function(self, other)
        return function(self, as_operand(other)) if accepts(other) else NotImplemented

    operate.__name__ = f"__{name}__"
    return operate


def backward(function: Callable, name: str) -> Callable:
    """The operator with the tensor on the right."""

    def operate(self, other):
        if not isinstance(self, Tensor):
            raise TypeError(f"__r{name}__ is a method of Tensor, not of {type(self).__name__}")
        if type(other) in OPERAND_TYPES:
            return function(other, self)
        return function(as_operand(other), self) if accepts(other) else NotImplemented

    operate.__name__ = f"__r{name}__"
    return operate


def namespace(module: str) -> dict[str, Any]:
    """The public names that ops declare for a module, such as `linalg`."""
    return NAMESPACES.get(module, {})
