"""Rare methods: old names of Tensor, functions of Python on each element, and words for methods that are left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from rushlight.core.memory.layout import channels_last, memory_format
from rushlight.core.memory.strides import strides_of
from rushlight.core.object.tensor import Tensor, attribute, method, storage_of
from rushlight.core.surface.overriding import DisableTorchFunctionSubclass
from rushlight.errors.warning import warn

LEFT_OUT = """
ccol_indices chalf coalesce col_indices crow_indices dequantize indices int_repr ipu is_coalesced is_distributed
mtia q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme record_stream
reinforce resize_as_sparse_ row_indices smm sparse_mask sparse_resize_ sparse_resize_and_clear_ sspaddmm to_mkldnn
to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr values xpu
"""


def refusing(name: str) -> Callable:
    """A method that says why it is left out: see errors/absent.py."""

    def method(self: Tensor, *arguments: Any, **options: Any) -> NoReturn:
        from rushlight.errors.absent import clause

        raise NotImplementedError(f"Tensor.{name} is not in Rushlight{clause(f'Tensor.{name}')}")

    method.__name__, method.__doc__ = name, "Refused: a call says why, and what to do instead."
    method.left_out = True  # type: ignore[attr-defined]
    return method


for _name in LEFT_OUT.split():
    attribute(_name, refusing(_name))
for _name in ("is_xla", "is_maia", "is_mtia"):
    attribute(_name, False)


def no_tensor(function: str, name: str, value: object, position: int = 1) -> TypeError:
    """That an argument is something else than a tensor."""
    return TypeError(
        f"{function}(): argument '{name}' (position {position}) must be Tensor, not {type(value).__name__}"
    )


def call_each(self: Tensor, name: str, others: tuple[Tensor, ...], function: Callable) -> Tensor:
    """Write what a function of Python gives for the elements, one after another."""
    if not callable(function):
        raise TypeError(f"'{type(function).__name__}' object is not callable: {name} takes a function of numbers")
    for position, each in enumerate(others):
        if not isinstance(each, Tensor):
            raise no_tensor(name, ("x", "y")[position] if len(others) > 1 else "other", each, position + 1)
    if self.requires_grad or any([each.requires_grad for each in others]):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    for each in others:
        if each._array.dtype != self._array.dtype:
            raise TypeError(f"{name}: expected {self.type()} for 'other' (got {each.type()})")
    array, arrays = self._array, [each.expand(self.shape)._array for each in others]
    # what was written is read where elements have places in common; it is not counted as a write, as in torch
    for index in np.ndindex(array.shape):
        found = function(*[each[index].item() for each in (array, *arrays)])
        if isinstance(found, str):
            raise TypeError(f"must be real number, not {type(found).__name__}: {name}'s function gave {found!r}")
        array[index] = self.new_tensor(found.item() if isinstance(found, Tensor) else found)._array
    return self


@method
def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replace each element by what a function of Python gives for it: slow, a call for each.

    >>> torch.tensor([1.0, 2.0]).apply_(lambda x: x * 10)
    tensor([10., 20.])
    """
    return call_each(self, "apply_", (), callable)


@method
def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replace each element by what a function of Python gives for it and the other tensor's.

    >>> torch.tensor([1.0, 5.0]).map_(torch.tensor([4.0, 2.0]), max)
    tensor([4., 5.])
    """
    return call_each(self, "map_", (tensor,), callable)


@method
def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Replace each element by what a function of Python gives for it and those of two other tensors.

    >>> torch.zeros(2).map2_(torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0]), lambda x, y, z: y + z)
    tensor([11., 22.])
    """
    return call_each(self, "map2_", (x, y), callable)


@method
def __div__(self: Tensor, other: Any) -> Tensor:
    """Old name of `/`."""
    return self / other


@method
def __idiv__(self: Tensor, other: Any) -> Tensor:
    """Old name of `/=`."""
    return self.div_(other)


@method
def __nonzero__(self: Tensor) -> bool:
    """Old name of `bool`."""
    return bool(self)


@method
def __long__(self: Tensor) -> int:
    """Old name of `int`."""
    return int(self)


@method
def const_data_ptr(self: Tensor) -> int:
    """The address of its first element.

    >>> x = torch.zeros(2)
    >>> x.const_data_ptr() == x.data_ptr()
    True
    """
    return self.data_ptr()


def compared(shape: Sequence[int], strides: Sequence[int], inner: int, outer: int) -> int:
    """Whether two dimensions stand in this order in memory: -1; the other way round: 1; or nobody can tell: 0."""
    if not strides[inner] or not strides[outer]:
        # expanded: no step at all
        return 0
    if strides[inner] == strides[outer]:
        return int(shape[inner] > shape[outer])
    return -1 if strides[inner] < strides[outer] else 1


def order_of_steps(shape: Sequence[int], strides: Sequence[int]) -> tuple[list[int], bool]:
    """The dimensions by falling strides, and whether these leave no doubt about it."""
    # from the innermost on, as long as one has the larger step it moves outwards
    order = list(reversed(range(len(shape))))
    for start in range(1, len(order)):
        place = start
        for before in reversed(range(start)):
            found = compared(shape, strides, order[before], order[place])
            if found > 0:
                order[before], order[place] = order[place], order[before]
                place = before
            elif found < 0:
                break
    sure = all(compared(shape, strides, *pair) == -1 for pair in pairwise(order))
    return order[::-1], sure


@method
def dim_order(self: Tensor, *, ambiguity_check: bool | list[memory_format] = False) -> tuple[int, ...]:
    """The dimensions from the one with the largest steps in memory to the one with the smallest.

    `ambiguity_check` raises where another order would do as well: True always, a list of memory formats unless just one
    of them is the tensor's.

    >>> torch.zeros(2, 3).dim_order(), torch.zeros(2, 3).T.dim_order()
    ((0, 1), (1, 0))
    """
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    listed = isinstance(ambiguity_check, list)
    if not isinstance(ambiguity_check, bool) and not (
        listed and all(isinstance(each, memory_format) for each in formats)
    ):
        raise TypeError(
            "The ambiguity_check argument must be a bool or a list of memory formats. It says whether to raise where "
            f"several orders would do; this is {ambiguity_check!r}"
        )
    strides = strides_of(self._array)
    several = 1 in self.shape or any(one == other for one, other in pairwise(strides))
    if (listed or ambiguity_check) and several and sum(self.is_contiguous(memory_format=each) for each in formats) != 1:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats. "
            f"Its shape is {list(self.shape)} and its strides are {list(strides)}"
        )
    if self.ndim < 2:
        return tuple(range(self.ndim))
    last = self.is_contiguous(memory_format=channels_last)
    if self.is_contiguous() != last:
        return (0, *range(2, self.ndim), 1) if last else tuple(range(self.ndim))
    order, sure = order_of_steps(self.shape, strides)
    if ambiguity_check and not sure:
        raise RuntimeError(
            f"The tensor does not have unique dim order. Its shape is {list(self.shape)} and its strides are "
            f"{list(strides)}"
        )
    return tuple(order)


@method
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether another tensor is the same part of the same memory.

    >>> x = torch.zeros(4)
    >>> x.is_set_to(x.detach()), x.is_set_to(x[1:])
    (True, False)
    """
    if not isinstance(tensor, Tensor):
        raise no_tensor("is_set_to", "tensor", tensor)
    return (
        storage_of(self) is storage_of(tensor)
        and self.shape == tensor.shape
        and self.stride() == tensor.stride()
        and self.storage_offset() == tensor.storage_offset()
    )


@method
def resize(self: Tensor, *sizes: Any) -> Tensor:
    """Old: the elements in another shape."""
    warn("non-inplace resize is deprecated: use reshape")
    return self.reshape(*sizes)


@method
def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """Old: the elements in another tensor's shape."""
    if not isinstance(tensor, Tensor):
        raise no_tensor("resize_as", "tensor", tensor)
    warn("non-inplace resize_as is deprecated: use reshape")
    return self.reshape(tensor.shape)


@method
def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool = True) -> Tensor:
    """The tensor itself, which is dense.

    >>> torch.tensor([1, 2]).to_dense()
    tensor([1, 2])
    """
    return self if dtype is None else self.to(dtype)


@method
def _fix_weakref(self: Tensor) -> None:
    """Nothing: weak references to a tensor hold as long as the tensor."""


@method
def dense_dim(self: Tensor) -> int:
    """The number of dimensions that are dense: all.

    >>> torch.zeros(2, 3).dense_dim()
    2
    """
    return self.ndim


@method
def sparse_dim(self: Tensor) -> int:
    """The number of dimensions that are sparse: none.

    >>> torch.zeros(2, 3).sparse_dim()
    0
    """
    return 0


def __torch_function__(cls: type, func: Callable, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """How functions treat tensors of a class: as all others, and what comes out is of the class too."""
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **({} if kwargs is None else kwargs))
        return result if cls is Tensor or func == GRAD else as_class(result, cls)


# what is kept of the class that it has
GRAD = Tensor.grad.__get__


def as_class(result: Any, cls: type) -> Any:
    """Tensors that came out of a call, as objects of a subclass."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        inner = [as_class(each, cls) for each in result]
        return type(result)(*inner) if hasattr(result, "_fields") else type(result)(inner)
    return result


attribute("__torch_function__", classmethod(__torch_function__))


def get_volatile(self: Tensor) -> bool:
    """Old: whether history was not recorded."""
    warn("volatile was removed (Variable.volatile is always False): use torch.no_grad()")
    return False


attribute("volatile", property(get_volatile))
