"""Windows: how many a dimension holds, where they start, and torch's refusals of sizes that do not fit."""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import Any

import numpy as np

from rushlight.core.memory.capacity import require_room
from rushlight.core.object.tensor import Tensor
from rushlight.ops.images.taps import Taps, from_windows

COUNTS = {1: "one int", 2: "two ints", 3: "three ints"}
NAMES = {1: "W", 2: "HW", 3: "THW"}


def ints(function: str, name: str, value: Any, count: int) -> tuple[int, ...]:
    """An option given once for all dimensions or for each of them."""
    if type(value) is int and -(2**63) <= value < 2**63:
        return (value,) * count
    if isinstance(value, (tuple, list)):
        if len(value) == count:
            return tuple([whole(function, name, each) for each in value])
        if len(value) == 1:
            return (whole(function, name, value[0]),) * count
        if count == 1:
            raise RuntimeError(not_one(function, name, len(value)))
        omitted = "omitted, " if name == "stride" else ""
        raise RuntimeError(
            f"{function}: {name} must either be {omitted}a single int, or a tuple of {COUNTS[count]}, not {value}"
        )
    return (whole(function, name, value),) * count


def not_one(function: str, name: str, given: int) -> str:
    """The words where rows need one number and several were given."""
    if function != "max_pool1d":
        return f"{function.removesuffix('_with_indices')}() argument '{name}' should contain one int (got {given})"
    none = "None, " if name == "stride" else ""
    comma = "," if name in ("stride", "padding") else ""
    kinds = f"{none}an int, list of ints{comma} or tuple of ints of size 1"
    return f"max_pool1d() {name} must be {kinds} but got size {given}"


def whole(function: str, name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        place = "kernel_size stride padding dilation".split().index(name) + 2
        raise TypeError(
            f"{function}(): argument '{name}' (position {place}) must be tuple of ints, not {type(value).__name__}"
        )
    found = operator.index(value)
    if not -(2**63) <= found < 2**63:
        raise ValueError(f"Overflow when unpacking long long: {function}() was given {name}={found}")
    return found


def as_planes(function: str, input: Tensor) -> Tensor:
    """Rows as planes of one row each, which is how torch pools them."""
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 'self' (while "
            f"checking arguments for {function})"
        )
    return input.unsqueeze(-2)


class Pooling:
    """The windows of one call: kernel, stride, padding and dilation of each dimension."""

    def __init__(
        self, function: str, count: int, kernel: Any, stride: Any, padding: Any, dilation: Any = 1, ceil: bool = False
    ):
        self.function = function
        self.count = count
        self.kernel = ints(function, "kernel_size", kernel, count)
        empty = stride is None or (isinstance(stride, (tuple, list)) and not stride)
        self.stride = self.kernel if empty else ints(function, "stride", stride, count)
        self.padding = ints(function, "padding", padding, count)
        self.dilation = ints(function, "dilation", dilation, count)
        self.ceil = bool(ceil)

    def of_planes(self) -> list[tuple[int, ...]]:
        """Kernel, stride, padding and dilation of the same windows over planes that have one row."""
        return [(1, *self.kernel), (1, *self.stride), (0, *self.padding), (1, *self.dilation)]

    def check_alone(self) -> None:
        """What torch's own kernel for sequences says; the others take them for images of one row."""
        (kernel,), (stride,), (padding,), (dilation,) = self.kernel, self.stride, self.padding, self.dilation
        for name, value in (("kernel_size", kernel), ("stride", stride)):
            if value < 1:
                raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
        if padding < 0:
            raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding}")
        if padding > kernel // 2:
            raise RuntimeError(
                f"max_pool1d() padding should be at most half of kernel size, but got padding={padding} and "
                f"kernel_size={kernel}"
            )
        if dilation < 1:
            raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {dilation}")

    def check_width(self) -> None:
        """The kernels of torch for images count in 32 bits."""
        for value in (*self.kernel, *self.stride, *self.padding, *self.dilation):
            if not -(2**31) <= value < 2**31:
                raise RuntimeError(f"value cannot be converted to type int without overflow: {value}")

    def check_options(self) -> None:
        if self.function == "max_pool1d":
            self.check_alone()
        else:
            self.check_width()
        words = {
            name: " ".join(f"{prefix}{letter}: {each}" for letter, each in zip(NAMES[self.count], values, strict=True))
            for name, prefix, values in (
                ("kernel", "k", self.kernel),
                ("stride", "d", self.stride),
                ("dilation", "dilation", self.dilation),
            )
        }
        if 0 in self.stride:
            raise RuntimeError(f"stride should not be zero, but got {words['stride']}")
        if min(self.kernel) <= 0:
            raise RuntimeError(f"kernel size should be greater than zero, but got {words['kernel']}")
        if min(self.stride) <= 0:
            raise RuntimeError(f"stride should be greater than zero, but got {words['stride']}")
        if min(self.dilation) <= 0:
            raise RuntimeError(f"dilation should be greater than zero, but got {words['dilation']}")
        for kernel, padding, dilation in zip(self.kernel, self.padding, self.dilation, strict=True):
            if padding < 0:
                raise RuntimeError(f"pad must be non-negative, but got pad: {padding}")
            if padding > (dilation * (kernel - 1) + 1) // 2:
                raise RuntimeError(
                    f"pad should be at most half of effective kernel size, but got pad={padding}, "
                    f"kernel_size={kernel} and dilation={dilation}"
                )

    def check_shape(self, shape: tuple[int, ...]) -> None:
        """Refuse what is no example or batch of examples with channels."""
        count, name = self.count, self.function
        dims = f"{count + 1}D or {count + 2}D (batch mode) tensor"
        counted = len(shape) in (count + 1, count + 2)
        if counted and 0 not in shape[-count - 1 :]:
            return
        if counted and count == 3:
            name = "max_pool3d_with_indices_out_cpu_template" if name == "max_pool3d" else name
            raise RuntimeError(
                f"{name}(): Expected input's non-batch dimensions to have positive length, but input has a shape of "
                f"{list(shape)}"
            )
        if counted or count == 1 or (name == "avg_pool2d" and len(shape) > count):
            before = "max_pool1d: " if count == 1 else ""
            raise RuntimeError(
                f"{before}Expected {dims} with optional 0 dim batch size for input, but got:{list(shape)}"
            )
        raise RuntimeError(f"non-empty {dims} expected for input, but got {list(shape)}")

    def outputs(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """How many windows there are along each dimension."""
        options = (self.kernel, self.stride, self.padding, self.dilation, self.ceil)
        return count_windows(self.function, self.count, options, tuple(shape))

    def count_windows(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        self.check_options()
        self.check_shape(shape)
        sizes, channels = shape[-self.count :], shape[-self.count - 1]
        found = tuple(map(self.output, sizes, self.kernel, self.stride, self.padding, self.dilation))
        if min(found) < 1 and self.function == "max_pool1d":
            raise RuntimeError(f"max_pool1d() Invalid computed output size: {found[0]}: use a smaller kernel_size")
        if min(found) < 1:
            if self.count == 1:
                sizes, found = (1, *sizes), (1, *found)
            given, made = ("x".join(str(each) for each in (channels, *them)) for them in (sizes, found))
            raise RuntimeError(
                f"Given input size: ({given}). Calculated output size: ({made}). Output size is too small: the windows "
                "are larger than the input; use a smaller kernel_size or padding"
            )
        require_room((*shape[: -self.count], *found), 4)
        return found

    def output(self, size: int, kernel: int, stride: int, padding: int, dilation: int) -> int:
        room = size + 2 * padding - dilation * (kernel - 1) - 1
        if not self.ceil:
            return room // stride + 1
        found = -(-room // stride) + 1
        # the last window must start inside the input or its left padding
        return found - 1 if (found - 1) * stride >= size + padding else found


@lru_cache(maxsize=512)
def count_windows(function: str, count: int, options: tuple, shape: tuple[int, ...]) -> tuple[int, ...]:
    """`Pooling.outputs`, remembered: to look at all options takes longer than to pool a small image."""
    return Pooling(function, count, *options).count_windows(shape)


@lru_cache(maxsize=256)
def average_taps(size: int, output: int, kernel: int, stride: int, padding: int) -> tuple[Taps, np.ndarray, np.ndarray]:
    """The inputs of each window, how many those are, and how many there are with padding."""
    starts = np.arange(output) * stride - padding
    ends = np.minimum(starts + kernel, size + padding)
    padded = ends - starts
    taps = from_windows(size, np.maximum(starts, 0), np.minimum(ends, size))
    return taps, taps.counts, padded


@lru_cache(maxsize=256)
def adaptive_taps(size: int, output: int) -> Taps:
    """The inputs of `output` windows that cover the dimension evenly."""
    steps = np.arange(output)
    return from_windows(size, steps * size // max(output, 1), -(-(steps + 1) * size // max(output, 1)))
