"""Binding: from one declaration to the torch function, the Tensor method, the in-place form and the operator."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.object.tensor import Tensor, wrap
from rushlight.core.settings.state import state
from rushlight.core.surface.overriding import divert, overrides
from rushlight.native import extension

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

# public names by module: {"": {"add": ...}, "linalg": {"pinv": ...}}
NAMESPACES: dict[str, dict[str, Any]] = {"": {}}

# operators by name: "add", "radd", "iadd" ...
FORMS: dict[str, Callable] = {}

# names of the database that torch has as methods only, or under `torch.ops.aten`
METHOD_ONLY = set(
    """
    absolute_ add_ addbmm_ addcdiv_ addcmul_ addmm_ addr_ arctan2_ atan2_ baddbmm_ bitwise_and_ bitwise_left_shift_
    bitwise_not_ bitwise_or_ bitwise_right_shift_ bitwise_xor_ copysign_ cumprod_ cumsum_ digamma_ div_ divide_ eq_
    erfinv_ expand expand_as floor_divide_ fmod_ ge_ greater_ greater_equal_ gt_ heaviside_ hypot_ igamma_ igammac_
    index_add_ index_copy_ index_fill_ index_reduce_ le_ lerp_ less_ less_equal_ lgamma_ logical_and_ logical_not_
    logical_or_ logical_xor_ lt_ masked_fill_ masked_scatter_ max_pool2d_with_indices_backward mul_ multiply_
    mvlgamma_ native_dropout_backward ne_ nextafter_ not_equal_ pow_ put_ remainder_ renorm_ repeat reshape_as
    scatter_ scatter_add_ scatter_reduce_ sgn_ sign_ sub_ subtract_ sum_to_size tril_ triu_ unfold view view_as
    nn.functional.hardsigmoid_ nn.functional.hardswish_ nn.functional.mish_ nn.functional.sigmoid_
    nn.functional.silu_ nn.functional.tanh_
    """.split()
)
# functions that are two in torch: under this name written in Python, with options by name
TWINS = {f"nn.functional.{each}" for each in "relu threshold selu celu".split()}
OPERAND_TYPES = {Tensor, int, float, bool, complex, np.float64}
UNARY = {"neg", "pos", "abs"}
# where sides do not matter the tensor comes first, as its node shows
EITHER_SIDE = {"radd", "rmul"}
# no reflected and no in-place form: Python reflects comparisons itself
ONE_FORM = {"eq", "ne", "lt", "le", "gt", "ge", "rsub"}


def bind(op: Op) -> None:
    """Give an op all its public forms."""
    module, _, name = op.name.rpartition(".")
    for each in (name, *op.aliases):
        place, _, alias = each.rpartition(".")
        names = NAMESPACES.setdefault(place if "." in each else module, {})
        names[alias] = twin_of(op, each) if each in TWINS else op.function
        if op.is_method and "." not in each:
            setattr(Tensor, each, op.method)
            if op.inplace is not None:
                setattr(Tensor, each + "_", op.inplace)
        if op.inplace is not None:
            names[alias + "_"] = op.inplace
    if op.operator is not None:
        bind_operator(op)


def twin_of(op: Op, path: str) -> Callable:
    """The function of an op once more, as another object."""
    made: Any = op.twin(f"rushlight.{path.rpartition('.')[0]}")
    made.op, made.gradient = op, op.gradient
    op.twins.append(made)
    return made


def bind_operator(op: Op) -> None:
    from rushlight.ops.machine.declare import OPERATORS

    name = OPERATORS[op.operator]
    function = op.method or op.function
    bind_form(name, function, function if name in UNARY else forward(function, name))
    if name in UNARY or name in ONE_FORM:
        return
    bind_form("r" + name, function, backward(function, "r" + name))
    if op.inplace is not None:
        bind_form("i" + name, op.inplace, forward(op.inplace, "i" + name))


def bind_form(name: str, function: Callable, operator: Callable) -> None:
    """Make one form of an operator known: to the native base type, which has slots for them, or as a method."""
    FORMS[name] = operator
    if extension is None:
        setattr(Tensor, f"__{name}__", operator)
    elif name in ONE_FORM or name in UNARY or name[0] != "r" or name == "rshift":
        extension.set_operator(name, function)


def operate(name: str, self: Tensor, other: Any) -> Any:
    """An operator with an operand that native code does not know."""
    found = FORMS.get(name)
    return NotImplemented if found is None else found(self, other)


if extension is not None:
    extension.connect(operate=operate)


def accepts(value: Any) -> bool:
    """Whether an operator knows what to do with the other side."""
    return type(value) in OPERAND_TYPES or isinstance(value, (Tensor, numbers.Number, np.generic, np.ndarray))


def as_operand(value: Any) -> Any:
    return wrap(value) if isinstance(value, np.ndarray) else value


def forward(function: Callable, name: str) -> Callable:
    """The operator with the tensor on the left."""

    def operate(self, other):
        if type(other) in OPERAND_TYPES and type(self) in OPERAND_TYPES:
            return function(self, other)
        found = overridden(name, self, other)
        if found is not NOBODY:
            return found
        return function(self, as_operand(other)) if accepts(other) else NotImplemented

    operate.__name__, operate.__qualname__ = f"__{name}__", f"Tensor.__{name}__"
    return operate


def backward(function: Callable, name: str) -> Callable:
    """The operator with the tensor on the right: `name` begins with an "r"."""
    turned = function if name in EITHER_SIDE else lambda self, other: function(other, self)

    def operate(self, other):
        if not isinstance(self, Tensor):
            raise TypeError(f"__{name}__ is a method of Tensor, not of {type(self).__name__}")
        if type(other) in OPERAND_TYPES and type(self) in OPERAND_TYPES:
            return turned(self, other)
        found = overridden(name, self, other)
        if found is not NOBODY:
            return found
        return turned(self, as_operand(other)) if accepts(other) else NotImplemented

    operate.__name__, operate.__qualname__ = f"__{name}__", f"Tensor.__{name}__"
    return operate


# the methods that torch shows for operators, where they have another name: "r" and "i" before a name as in `__radd__`
SHOWN = {
    "add": "add radd", "sub": "sub", "mul": "mul rmul", "div": "truediv", "remainder": "mod", "matmul": "matmul",
    "lt": "lt", "le": "le", "ne": "ne", "gt": "gt", "ge": "ge", "add_": "iadd", "sub_": "isub", "mul_": "imul",
    "div_": "itruediv", "floor_divide_": "ifloordiv", "remainder_": "imod", "bitwise_and": "rand",
    "bitwise_or": "ror", "bitwise_xor": "rxor",
}  # fmt: skip
NOBODY = object()
SHOWN_AS = {form: name for name, forms in SHOWN.items() for form in forms.split()}


def overridden(name: str, self: Any, other: Any) -> Any:
    """What the operands make of an operator; NOBODY if none has a word, NotImplemented if none knows."""
    if state.no_overrides or state.backward or not (overrides(self) or overrides(other)):
        return NOBODY
    shown = SHOWN_AS.get(name)
    try:
        return divert(getattr(Tensor, shown or f"__{name}__"), (self, other), {})
    except TypeError:
        # Python asks the other operand, and complains in its own words if that does not know either
        return NotImplemented


def namespace(module: str) -> dict[str, Any]:
    """The public names that ops declare for a module, such as `linalg`."""
    return NAMESPACES.get(module, {})


def public(module: str) -> dict[str, Any]:
    """The names among them that a module of torch has."""
    return {name: value for name, value in namespace(module).items() if is_public(module, name)}


def public_name(module: str, name: str) -> Any:
    """One of them, or None."""
    return namespace(module).get(name) if is_public(module, name) else None


def is_public(module: str, name: str) -> bool:
    """Whether torch has the name as a function, not as a method only."""
    if module == "special":
        return not name.endswith("_")
    return (f"{module}.{name}" if module else name) not in METHOD_ONLY
