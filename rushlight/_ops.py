"""torch.ops: functions by the names of the libraries that define them, `torch.ops.aten.add.Tensor` among them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import MissingName
from rushlight.core.surface.tags import aten_tags

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket"]


class OpOverload:
    """One form of a function of a library: `torch.ops.aten.add.Tensor`."""

    def __init__(self, packet: OpOverloadPacket, overload: str, call: Callable, schema: Any = None, tags: Any = ()):
        self._overloadpacket = packet
        self._overloadname = overload or "default"
        self._op = call
        self._declared = schema
        self.tags = list(tags)
        self.__module__ = packet.__module__
        self.__name__ = f"{packet.__name__}.{self._overloadname}"
        self.__qualname__ = self.__name__

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """All forms together."""
        return self._overloadpacket

    @property
    def op(self) -> Callable:
        """What is called."""
        return self._op

    @property
    def namespace(self) -> str:
        """The name of its library."""
        return self._overloadpacket._qualified_op_name.partition("::")[0]

    @property
    def _opname(self) -> str:
        return self._overloadpacket.__name__

    @property
    def _schema(self) -> Any:
        if self._declared is None:
            raise AttributeError(
                f"{self}._schema is not in Rushlight, whose functions have Python signatures: inspect.signature("
                f"torch.{self._overloadpacket.__name__})"
            )
        return self._declared

    def name(self) -> str:
        """Library, name and form: `aten::add.Tensor`."""
        form = "" if self._overloadname == "default" else f".{self._overloadname}"
        return self._overloadpacket._qualified_op_name + form

    @property
    def _qualified_op_name(self) -> str:
        return f"{self._overloadpacket._qualified_op_name}.{self._overloadname}"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._op(*args, **kwargs)

    def __repr__(self) -> str:
        name = self._overloadpacket._qualified_op_name.replace("::", ".")
        return f"<OpOverload(op='{name}', overload='{self._overloadname}')>"

    def __str__(self) -> str:
        return f"{self._overloadpacket}.{self._overloadname}"

    def __hash__(self) -> int:
        return hash(self.name())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpOverload) and self.name() == other.name()

    def __deepcopy__(self, memo: Any = None) -> OpOverload:
        return self


class OpOverloadPacket:
    """A function of a library with all its forms: `torch.ops.aten.add`."""

    def __init__(self, qualified_op_name: str, op_name: str, op: Callable | None, overload_names: list[str]):
        self._qualified_op_name = qualified_op_name
        self.__name__ = op_name
        self.__module__ = f"torch.ops.{qualified_op_name.partition('::')[0]}"
        self._op = op
        self._overload_names = overload_names
        self._forms: dict[str, OpOverload] = {}

    @property
    def op(self) -> Callable | None:
        """What is called."""
        return self._op

    def overloads(self) -> list[str]:
        """The names of its forms."""
        return list(self._overload_names)

    def add(self, form: OpOverload) -> OpOverload:
        """Add a form."""
        if form._overloadname not in self._overload_names:
            self._overload_names.append(form._overloadname)
        self._forms[form._overloadname] = form
        return form

    def __getattr__(self, key: str) -> OpOverload:
        if key.startswith("__"):
            raise AttributeError(f"'{self}' can't have an overload name beginning with '__'")
        forms, names = self.__dict__.get("_forms", {}), self.__dict__.get("_overload_names", ())
        if key in forms:
            return forms[key]
        if key not in names or self._op is None:
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{key}'")
        tags = aten_tags(self.__name__, key) if self._qualified_op_name.startswith("aten::") else ()
        return self.add(OpOverload(self, key, self._op, tags=tags))

    def __iter__(self) -> Any:
        return iter(self._overload_names)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if self._op is not None:
            return self._op(*args, **kwargs)
        errors = []
        for name in self._overload_names:
            try:
                return getattr(self, name)(*args, **kwargs)
            except (TypeError, MismatchError) as error:
                errors.append(str(error))
        if len(errors) == 1:
            raise RuntimeError(errors[0])
        raise RuntimeError(
            "Overloaded torch operator invoked from Python failed to match any schema:\n" + "\n\n".join(errors)
        )

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"

    def __str__(self) -> str:
        return self._qualified_op_name.replace("::", ".")

    def __hash__(self) -> int:
        return hash(self._qualified_op_name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpOverloadPacket) and self._qualified_op_name == other._qualified_op_name


class MismatchError(RuntimeError):
    """Arguments that a declaration does not take."""


class _OpNamespace:
    """A library of functions: `torch.ops.aten`."""

    def __init__(self, name: str):
        self.name = name
        self.__name__ = f"torch.ops.{name}"
        self._packets: dict[str, OpOverloadPacket] = {}

    def __getattr__(self, op_name: str) -> Any:
        if op_name.startswith("__"):
            raise AttributeError(f"Invalid attribute '{op_name}' for '_OpNamespace' '{self.name}'")
        found = self._packets.get(op_name)
        if found is None and self.name == "aten":
            from rushlight.ops.machine import aten

            found = aten.packet(op_name)
        if found is None:
            words = f"'_OpNamespace' '{self.name}' object has no attribute '{op_name}'"
            if self.name == "aten":
                raise MissingName(words, f"ops.aten.{op_name}", name=op_name)
            raise AttributeError(words)
        self._packets[op_name] = found
        return found

    def __dir__(self) -> list[str]:
        return sorted(self._packets)

    def __iter__(self) -> Any:
        return iter(self._packets)

    def __repr__(self) -> str:
        return f"<module 'torch.ops.{self.name}' from 'torch.ops'>"


@functools.cache
def library(name: str) -> _OpNamespace:
    """The library of this name, made when it is first asked for."""
    return _OpNamespace(name)


# libraries that a program tried to load: what it registers for their functions is taken and never called
refused_libraries: list[str] = []


def load_library(path: Any) -> NoReturn:
    """Refused: compiled libraries are made for torch's dispatcher."""
    refused_libraries.append(str(path))
    raise OSError(
        f"Could not load this library: {path}: compiled extensions of PyTorch need PyTorch's own C++ library; write "
        "the function in Python with torch.library.custom_op"
    )


class HigherOrderOperator:
    """An operator on functions; a class of a program may be derived from it."""

    def __init__(self, name: str, *, cacheable: bool = False):
        self._name = self.__name__ = name

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"torch.ops.higher_order.{self._name} is not in Rushlight: call the function directly"
        )

    def name(self) -> str:
        """Its name."""
        return self._name


def has_tensor(value: Any) -> bool:
    """Whether a tensor is a value, or an element of it."""
    return isinstance(value, Tensor) or (isinstance(value, (list, tuple)) and any(map(has_tensor, value)))
