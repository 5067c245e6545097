"""Tensor: a NumPy array with a dtype, a history and a gradient."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

from rushlight.core.memory.addresses import address_of
from rushlight.core.memory.deferred import raw
from rushlight.core.memory.meta import Meta
from rushlight.core.memory.storage import Storage
from rushlight.core.memory.strides import strides_of
from rushlight.core.numbers import dtypes
from rushlight.core.object.fields import Fields
from rushlight.core.object.size import Size
from rushlight.core.settings.device import CPU, META, device
from rushlight.core.settings.state import state
from rushlight.core.surface import overriding
from rushlight.errors import location
from rushlight.errors.breaks import numbers_decide
from rushlight.native import extension

if TYPE_CHECKING:
    from rushlight.autograd.graph import Node

# a tensor without any fields
new: Any = Fields.__new__
new_tuple = tuple.__new__

# methods of the native base type, and the names under which it knows their Python forms
# how an inference tensor was made that may be written to: by `data` or `detach` outside of the mode, or `x.data = it`
COUNTED = "counted"
NATIVE_METHODS = {"__getitem__": "read_item", "__setitem__": "write_item", "backward": "backward"}


class Tensor(Fields):
    """A multi-dimensional array that records what is done to it.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    # NumPy's operators leave the work to ours
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __new__(
        cls, *data: Any, dtype: dtypes.dtype | None = None, device: Any = None, requires_grad: bool = False
    ) -> Self:
        from rushlight.core.creation import legacy

        return legacy.legacy_tensor(cls, data, dtype, device, requires_grad)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__torch_function__ is not overriding.DISABLED:
            from rushlight.core.surface import subclassing

            subclassing.prepare(cls)

    @property
    def shape(self) -> Size:
        """The size of each dimension."""
        # not Size(...), which checks each element: 0.1 us against 0.6
        return new_tuple(Size, self._array.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """The kind of its numbers."""
        found = dtypes.FROM_NUMPY.get(self._array.dtype)
        return found if found is not None else dtypes.from_numpy(self._array.dtype)

    @property
    def device(self) -> device:
        """Where it lives: the CPU, or 'meta' if it has a shape but no memory.

        >>> torch.zeros(2).device
        device(type='cpu')
        """
        return CPU if type(self._array) is not Meta else META

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    @property
    def itemsize(self) -> int:
        """Bytes in one element.

        >>> torch.zeros(2, dtype=torch.float64).itemsize
        8
        """
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes in all elements.

        >>> torch.zeros(2, 3).nbytes
        24
        """
        return self._array.nbytes

    @property
    def requires_grad(self) -> bool:
        """Whether operations on it are recorded."""
        return self._requires_grad or (self._base is not None and self._base._requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if type(value) is not bool:
            raise RuntimeError(f"requires_grad must be a bool, not {type(value).__name__}")
        if has_history(self):
            detached = (
                ""
                if value
                else (
                    " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
                    "var_no_grad = var.detach()."
                )
            )
            raise RuntimeError(f"you can only change requires_grad flags of leaf variables.{detached}")
        if value and self._inference:
            require_inference_mode(INFERENCE_LEAF)
        if value:
            require_differentiable(self._array.dtype)
        elif self._requires_grad:
            self._cut = ("frozen", location.user_line())
        self._requires_grad = value

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool: set it to False")

    @property
    def is_leaf(self) -> bool:
        """Whether it was created by the user rather than by a recorded operation."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        """The node of the graph that made it; None for a leaf."""
        if self._base is not None:
            from rushlight.core.object import views

            views.refresh(self)
        return self._node

    @property
    def retains_grad(self) -> bool:
        """Whether this non-leaf keeps its gradient after backward.

        >>> x = torch.tensor([1.0], requires_grad=True) * 2
        >>> x.retain_grad()
        >>> x.retains_grad
        True
        """
        return self._retains

    @property
    def output_nr(self) -> int:
        """Which output of its node it is.

        >>> x = torch.ones(2, requires_grad=True)
        >>> [each.output_nr for each in x.unbind()]
        [0, 1]
        """
        return self._output

    @property
    def _version(self) -> int:
        if self._inference and self._made != COUNTED:
            raise RuntimeError("Inference tensors do not track version counter.")
        return version_of(self)

    def _is_view(self) -> bool:
        return self._base is not None

    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: int) -> int: ...
    def size(self, dim: int | None = None) -> Size | int:
        """The shape, or the size of one dimension."""
        if dim is None:
            return self.shape
        if not self._array.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return self._array.shape[check_dim(dim, self._array.ndim)]

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    @overload
    def stride(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    def stride(self, dim: int) -> int: ...
    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        """Elements to step over in memory for one step in each dimension.

        >>> torch.zeros(2, 3).stride(), torch.zeros(2, 3).T.stride()
        ((3, 1), (1, 3))
        """
        strides = strides_of(self._array)
        if dim is not None and not strides:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return strides if dim is None else strides[check_dim(dim, len(strides))]

    def storage_offset(self) -> int:
        """Where its first element stands in its storage.

        >>> torch.arange(5)[2:].storage_offset()
        2
        """
        inner = getattr(self._array, "inner", None)
        if inner is not None:
            # inside of a function transform: where the numbers themselves lie, for all samples the first one's
            return inner.storage_offset()
        if self._storage is None:
            return 0
        start = self._array.__array_interface__["data"][0]
        return (start - self._storage.array.__array_interface__["data"][0]) // self._array.itemsize

    def data_ptr(self) -> int:
        """The address of its first element.

        >>> x = torch.zeros(4)
        >>> x[1:].data_ptr() - x.data_ptr()
        4
        """
        array = self._array
        return address_of(array) if array.size and type(array) is not Meta else 0

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        from rushlight.core.object import printing

        if state.whole:
            numbers_decide("repr(), as `print` asks for it,")

        ours = type(self).__module__.startswith(("rushlight", "torch"))
        prefix = "tensor(" if ours else f"{type(self).__name__}("
        text = printing.repr_tensor(self, dtypes.default, prefix, contents=tensor_contents)
        # a parameter that keeps a subclass of its own says so here
        return f"Parameter({text})" if not ours and self.__dict__.get("_is_param") else text

    def _repr_html_(self) -> str | None:
        """What a notebook shows; where that cannot be made, it shows the text."""
        from rushlight.core.object.display import html_of_tensor

        return shown(html_of_tensor, self)

    def element_size(self) -> int:
        """Bytes in one element.

        >>> torch.zeros(2).element_size()
        4
        """
        return self._array.itemsize

    ndimension = dim
    nelement = numel


if extension is not None:
    extension.set_tensor_class(Tensor)
    extension.connect(size=Size, dtypes=dtypes.FROM_NUMPY)
    # what the native base type answers itself stays with it, for the rare cases
    for _name, _form in list(vars(Tensor).items()):
        if extension.adopt(_name, _form):
            delattr(Tensor, _name)


overriding.PLAIN.add(Tensor)


def shown(make: Callable[[Any], str], thing: Any) -> str | None:
    """A display for a notebook; None, and with it the text, where a subclass does not let one be made."""
    try:
        return make(thing)
    except Exception:
        return None


def wrap(array: np.ndarray) -> Tensor:
    """A tensor without history around an array."""
    tensor = new(Tensor)
    tensor._array = array
    return tensor


def has_history(tensor: Tensor) -> bool:
    """Whether a node made it; a view that was made without one counts as a leaf, whatever was written since."""
    if tensor._node is None and tensor._made is not None:
        return False
    try:
        return tensor.grad_fn is not None
    except RuntimeError:
        # a view that lost its history to a write has one, which nobody may ask for
        return True


def storage_of(tensor: Tensor) -> Storage:
    """The tensor's storage, made now if nothing needed one before."""
    found = tensor._storage
    if found is None:
        found = tensor._storage = Storage(raw(tensor._array))
    return found


def version_of(tensor: Tensor) -> int:
    """How often its memory was written to; `_version` refuses to say so of inference tensors."""
    return 0 if tensor._storage is None else tensor._storage.version


INFERENCE_LEAF = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."


def require_inference_mode(words: str) -> None:
    from rushlight.autograd.modes import state

    if not state.inference:
        raise RuntimeError(words + " Take a clone(), which is an ordinary tensor.")


def geometry_of(tensor: Tensor) -> tuple[tuple[int, ...], Any, int]:
    """Where a tensor's elements stand in its storage: sizes, strides and offset, counted in elements."""
    return tensor._array.shape, strides_of(tensor._array), tensor.storage_offset()


def attribute(name: str, value: Any) -> None:
    """Give Tensor a property or a constant; later layers add theirs with this."""
    if extension is None or not extension.adopt(name, value):
        setattr(Tensor, name, value)


def method(function: Callable) -> Callable:
    """Make the function a method of Tensor; later layers add theirs with this."""
    if extension is not None and function.__name__ in NATIVE_METHODS:
        # the native method calls this one where it declines
        extension.connect(**{NATIVE_METHODS[function.__name__]: function})
    else:
        attribute(function.__name__, function)
    return function


def require_differentiable(kind: np.dtype, allowed: str = "floating point and complex dtype") -> None:
    if kind not in dtypes.DIFFERENTIABLE:
        raise RuntimeError(
            f"only Tensors of {allowed} can require gradients"
            f"; this one is {dtypes.from_numpy(kind)}: convert it first, for example with .float()"
        )


def check_dim(dim: int, ndim: int) -> int:
    """The dimension counted from the front; an IndexError if there is none."""
    limit = ndim or 1
    if type(dim) is not int:
        dim = operator.index(dim)
    if not -limit <= dim < limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return dim + limit if dim < 0 else dim
