"""Options: what functions that create a tensor take: size, dtype, device, layout, out, requires_grad."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from rushlight.core.memory import meta
from rushlight.core.memory.capacity import no_room, overflowed
from rushlight.core.memory.layout import check_layout
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor, new
from rushlight.core.settings.device import check_device, is_meta
from rushlight.core.settings.state import state
from rushlight.errors.callsite import position_words
from rushlight.errors.location import ours, user_line


def finish(array: np.ndarray, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A leaf around the array, which remembers the user's line."""
    if device is not None:
        check_device(device)
        if is_meta(device):
            array = meta.like(array)
    made = new(Tensor)
    made._array = array
    made._created = user_line()
    if state.inference:
        made._inference = True
    if requires_grad:
        require_flag("requires_grad", requires_grad)
        require_floating(array.dtype)
        made._requires_grad = True
    return made


def require_floating(kind: np.dtype) -> None:
    """Refuse a dtype that has no gradients."""
    if kind not in dtypes.DIFFERENTIABLE:
        raise RuntimeError(
            "Only Tensors of floating point and complex dtype can require gradients"
            f"; this one would be {dtypes.from_numpy(kind)}: pass for example dtype=torch.float32"
        )


def require_flag(name: str, value: Any) -> None:
    """Refuse what is only like True."""
    if value is not True:
        raise TypeError(f"{called()}(): argument '{name}' must be bool, not {type(value).__name__}")


def called() -> str:
    """The name of the function of ours that the user's line calls."""
    frame = sys._getframe(1)
    while frame.f_back is not None and ours[frame.f_back.f_code.co_filename]:
        # who asks modes and arguments first stands before the function, under another name
        if frame.f_back.f_globals.get("__name__") == "rushlight.core.surface.overriding":
            break
        frame = frame.f_back
    return frame.f_code.co_name


def finish_into(
    array: np.ndarray,
    out: Tensor | None,
    dtype: dtypes.dtype | None,
    device: Any,
    layout: Any,
    pin_memory: bool,
    requires_grad: bool,
) -> Tensor:
    """Like `finish`, for functions with all of torch's options; `out` is filled instead if there is one."""
    if layout is not None:
        check_layout(layout)
    if pin_memory:
        require_flag("pin_memory", pin_memory)
        refuse_pinned()
    if out is None:
        return finish(array, device, requires_grad)
    check_out(out, dtype, device)
    found = fill(out, array)
    if found.requires_grad is not requires_grad and found.is_leaf:
        found.requires_grad = requires_grad
    return found


def check_out(out: Tensor, dtype: dtypes.dtype | None, device: Any) -> None:
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
    if device is not None:
        check_device(device)
    if dtype is not None and dtypes.checked(dtype) is not out.dtype:
        raise RuntimeError(
            f"dtype {dtypes.checked(dtype).scalar} does not match dtype of out parameter ({out.dtype.scalar})"
        )


# functions that fill an expanded tensor as it is; others refuse it
FILLS_EXPANDED = {"empty", "eye", "full", "ones", "randperm", "zeros"}


def fill(out: Tensor, array: np.ndarray) -> Tensor:
    """Write the array into `out`, which takes its shape."""
    from rushlight.core.memory.growth import give_shape
    from rushlight.ops.machine.inplace import require_writable, written
    from rushlight.ops.machine.out import refuse_recorded

    # the function that was called: its name is wanted for a refusal only
    name = sys._getframe(2).f_code.co_name
    refuse_recorded(f"aten::{name}", out)
    if out._array.shape != array.shape:
        give_shape(out, array.shape)
    elif name not in FILLS_EXPANDED:
        require_writable(out._array)
    with np.errstate(all="ignore"):
        out._array[...] = array
    written(out)
    return out


def refuse_pinned() -> None:
    raise RuntimeError(
        "pin_memory=True requires a CUDA or other accelerator backend; Rushlight runs on the CPU: leave it out"
    )


def numpy_dtype(dtype: dtypes.dtype | None, out: Tensor | None = None) -> np.dtype:
    """The NumPy dtype to create: the one asked for, that of `out`, or the default."""
    if dtype is None:
        if out is None:
            return dtypes.default.numpy
        if not isinstance(out, Tensor):
            raise TypeError(f"argument 'out' must be Tensor, not {type(out).__name__}")
        return out._array.dtype
    return dtypes.checked(dtype).numpy


def size_from(many: tuple, named: Any, function: str) -> tuple[int, ...]:
    """A size given as integers one by one, as one sequence, or by name."""
    if named is None:
        if len(many) == 1 and isinstance(many[0], (tuple, list)):
            named = many[0]
        elif many:
            named = many
        else:
            raise TypeError(f'{function}() missing 1 required positional arguments: "size"')
    elif many:
        if function.startswith("rand"):
            raise TypeError(f"{function}() received an invalid combination of arguments: the size twice")
        raise TypeError(f"{function}() got multiple values for argument 'size'")
    return checked_size(named, function, from_sequence=named is not many)


def checked_size(size: Any, function: str, from_sequence: bool = True) -> tuple[int, ...]:
    """A sequence of sizes as a tuple of Python integers that are not negative."""
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"{function}(): argument 'size' (position 1) must be tuple of ints, not {type(size).__name__}")
    sizes = []
    for place, each in enumerate(size):
        if type(each) is not int:
            each = plain_integer(each, place, function, from_sequence)
        if each >= 2**63:
            raise TypeError(
                f"{function}(): argument 'size' failed to unpack the object at pos {place + 1} with error \"Overflow "
                f'when unpacking long long": {each} is beyond 64 bits'
            )
        if each < 0:
            begins = "zeros: Dimension size must be non-negative. " if function == "zeros" else ""
            raise RuntimeError(f"{begins}Trying to create tensor with negative dimension {each}: {list(size)}")
        sizes.append(each)
    return tuple(sizes)


def plain_integer(value: Any, place: int, function: str, from_sequence: bool) -> int:
    if not isinstance(value, (bool, np.bool_)) and hasattr(value, "__index__"):
        try:
            return value.__index__()
        except TypeError:
            pass  # a tensor or an array that holds no integer
    name = type(value).__name__
    if place:  # torch looks at the first one to tell whether these are sizes
        raise TypeError(
            f"{function}(): argument 'size' failed to unpack the object at pos {place + 1} with error \"type must be "
            f'tuple of ints,but got {name}"'
        )
    where = f", but found element of type {name} at pos {place}" if from_sequence else f", not {name}"
    raise TypeError(f"{function}(): argument 'size' (position 1) must be tuple of ints{where}")


def integer(value: Any, function: str, name: str, position: int) -> int:
    """An integer argument, in torch's words if it is none."""
    if type(value) is int:
        return value
    if not isinstance(value, (bool, np.bool_)) and hasattr(value, "__index__"):
        return value.__index__()
    where = f"{function}(): argument '{name}'{position_words(name, position)}"
    raise TypeError(f"{where} must be int, not {type(value).__name__}")


def number(value: Any, function: str, name: str, position: int) -> Any:
    """A number given as such, as a NumPy scalar or as a 0-dim tensor, as a Python number."""
    if type(value) in (int, float, bool, complex):
        return value
    if isinstance(value, (int, float, complex, np.generic)) and not isinstance(value, (np.str_, np.bytes_)):
        return value.item() if isinstance(value, np.generic) else value
    if isinstance(value, Tensor) and value._array.ndim == 0:
        return value._array.item()
    where = f"{function}(): argument '{name}'{position_words(name, position)}"
    raise TypeError(f"{where} must be Number, not {type(value).__name__}")


def allocate(make: Any, shape: tuple[int, ...], kind: np.dtype, device: Any = None) -> np.ndarray:
    """`make(shape, kind)`, where too large a shape is torch's RuntimeError; on 'meta' nothing is made."""
    if device is not None and is_meta(device):
        return meta.reserve(shape, kind)
    try:
        return make(shape, kind)
    except MemoryError:
        raise no_room(math.prod(shape) * kind.itemsize, f"for a tensor of shape {list(shape)}") from None
    except ValueError as error:
        refuse_many(shape)
        if 0 in shape:
            raise RuntimeError(f"Stride calculation overflowed with sizes={list(shape)}") from error
        raise overflowed(shape) from error


def refuse_many(shape: tuple[int, ...]) -> None:
    """Refuse more dimensions than an array can have."""
    if len(shape) > 64:
        raise RuntimeError(
            f"only tensors with up to 64 dims are supported, as NumPy's arrays have; got {len(shape)}"
        ) from None


def ones_array(shape: tuple[int, ...], kind: np.dtype) -> np.ndarray:
    """Ones: half the time of np.ones, which is a Python function."""
    array = np.empty(shape, kind)
    array.fill(1)
    return array
