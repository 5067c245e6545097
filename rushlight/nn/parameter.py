"""Parameters and buffers: the tensors that belong to a module, also those whose shape is not known yet."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rushlight.core.creation.filled import empty
from rushlight.core.numbers import dtypes
from rushlight.core.object.attributes import make_subclass, set_data
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.overriding import DISABLED, PLAIN
from rushlight.native import extension
from rushlight.ops.machine.bind import OPERAND_TYPES

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "is_lazy"]


class ParameterMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        # of a subclass of Tensor a mark says whether it is one; what is no tensor, as most are, is not asked for it
        if cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False):
            return True
        return super().__instancecheck__(instance)


ParameterMeta.__name__ = ParameterMeta.__qualname__ = "_ParameterMeta"


class Parameter(Tensor, metaclass=ParameterMeta):
    """A tensor that a module learns: assigned to a module it joins `module.parameters()`.

    >>> torch.nn.Parameter(torch.zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)

    It shares the memory of `data`; results of operations on it are plain tensors. Of a subclass of Tensor it is made
    by a mark, so that it keeps that class: `isinstance(it, Parameter)` is True all the same.
    """

    __torch_function__ = DISABLED

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        data = checked_data(data)
        require_bool(requires_grad)
        if type(data) is not Tensor and type(data) is not Parameter:
            return marked(data, requires_grad)
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

    # as in torch, without the keyword that a tensor's has
    def __repr__(self) -> str:  # type: ignore[override]
        text = super().__repr__()
        return "Parameter containing:\n" + (text if type(self) is Parameter else f"Parameter({text})")


# operators then take a parameter without asking what it is: 0.2 us less
OPERAND_TYPES.add(Parameter)
PLAIN.add(Parameter)
if extension is not None:
    extension.set_parameter_class(Parameter)


def require_bool(requires_grad: Any) -> None:
    if requires_grad is not True and requires_grad is not False:
        raise TypeError(
            "_make_subclass(): argument 'require_grad' (position 3) must be bool, not "
            f"{type(requires_grad).__name__}: requires_grad says whether it is learned, True or False"
        )


def marked(data: Tensor, requires_grad: bool) -> Any:
    """A parameter that keeps the subclass of its data, on the same memory."""
    made: Any = data.detach().requires_grad_(requires_grad)
    if type(made) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
            f"instance of the same type, but return type {type(made).__name__} was found instead. Let its "
            "__torch_function__ wrap what detach() gives, or pass data.as_subclass(torch.Tensor)"
        )
    made.__dict__["_is_param"] = True
    return made


class BufferMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Buffer:
            return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)
        return super().__instancecheck__(instance)


BufferMeta.__name__ = BufferMeta.__qualname__ = "_BufferMeta"


class Buffer(Tensor, metaclass=BufferMeta):
    """A tensor that a module keeps but does not learn: assigned to a module it joins `module.buffers()`.

    It is a plain tensor with a mark, as in torch.
    """

    __torch_function__ = DISABLED

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        data = checked_data(data)
        made: Any = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
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


UNKNOWN_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. Call `forward` of the lazy module once to "
    "initialize its parameters; load_state_dict() cannot load what is not initialized into what is."
)
NO_USE = (
    "Attempted to use an uninitialized parameter: its shape is not known yet. Call `forward` of the lazy module once, "
    "with a batch of the right shape, before you use its parameters."
)


class NoArray(np.ndarray):
    """Stands in for the numbers that are not there: native code does not know its dtype, everything else meets this."""

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            # isinstance() asks for it, and memory reports ask that of every object there is
            return NoArray
        raise ValueError(NO_USE)

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError(NO_USE)

    __array_function__ = __array_ufunc__


NO_ARRAY = np.empty(0, [("unknown", np.uint8)]).view(NoArray)


class UninitializedTensorMixin:
    """A tensor without a shape: `materialize` gives it one, and makes it what it is to become."""

    __torch_function__ = DISABLED
    cls_to_become: type
    _kind: dtypes.dtype
    _array: Any
    requires_grad: Any

    def materialize(self, shape: Any, device: Any = None, dtype: dtypes.dtype | None = None) -> None:
        """Give it a shape, and memory with nothing in particular in it."""
        found = empty(shape, device=device, dtype=dtype or self._kind)
        self.__class__ = self.cls_to_become
        del self._kind
        self._array = found._array
        set_data(self, found)  # type: ignore[arg-type]

    def _get_data(self) -> Tensor:
        return empty(0, dtype=self._kind)

    def _set_data(self, value: Tensor) -> None:
        self._kind = value.dtype

    data = property(_get_data, _set_data)
    dtype = property(lambda self: self._kind)

    @property
    def shape(self) -> Any:
        """Refused: it is not known."""
        raise RuntimeError(UNKNOWN_SHAPE)

    def share_memory_(self) -> Any:
        """Refused: there is no memory yet."""
        raise RuntimeError("Can't share memory on an uninitialized parameter or buffer. " + UNKNOWN_SHAPE[75:])

    def copy_(self, src: Any, non_blocking: bool = False) -> Any:
        """Itself; only what is not initialized either can be copied."""
        if not is_lazy(src):
            raise ValueError(NO_USE)
        return self

    def is_complex(self) -> bool:
        """Whether its dtype will be complex."""
        return self._kind.is_complex

    def is_floating_point(self) -> bool:
        """Whether its dtype will be a floating point one."""
        return self._kind.is_floating_point

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild, (type(self), self.requires_grad, self._kind)

    def __deepcopy__(self, memo: dict) -> Any:
        if id(self) not in memo:
            memo[id(self)] = rebuild(type(self), self.requires_grad, self._kind)
        return memo[id(self)]


def converting(name: str) -> Any:
    """A method that changes the dtype it will have; a parameter gives plain data, as every operation on one does."""

    def convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = getattr(self.data, name)(*args, **kwargs)
        return found if isinstance(self, Parameter) else rebuild(type(self), self.requires_grad, found.dtype)

    convert.__name__, convert.__doc__ = name, f"As `Tensor.{name}`, of the dtype it will have."
    return convert


for _name in ("to", "type", "half", "float", "double", "bfloat16", "cpu", "cuda"):
    setattr(UninitializedTensorMixin, _name, converting(_name))


def unknown(cls: type, requires_grad: bool, device: Any, dtype: dtypes.dtype | None) -> Any:
    sample = empty(0, device=device, dtype=dtype)
    made: Any = make_subclass(cls, sample, requires_grad)
    made._kind = sample.dtype
    made._array = NO_ARRAY
    return made


def rebuild(cls: type, requires_grad: bool, dtype: dtypes.dtype) -> Any:
    return cls(requires_grad=requires_grad, dtype=dtype)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape a lazy module learns from its first input."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: dtypes.dtype | None = None) -> Self:
        require_bool(requires_grad)
        return unknown(cls, requires_grad, device, dtype)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer whose shape a lazy module learns from its first input."""

    cls_to_become = Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: dtypes.dtype | None = None,
        persistent: bool = True,
    ) -> Self:
        made = unknown(cls, requires_grad, device, dtype)
        made.persistent = persistent
        made._is_buffer = True
        return made


def is_lazy(param: Any) -> bool:
    """Whether the shape of a parameter or buffer is not known yet."""
    return isinstance(param, UninitializedTensorMixin)


_ParameterMeta = ParameterMeta
