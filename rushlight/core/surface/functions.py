"""Functions that `torch` has beside a method of Tensor or a function of `torch.nn.functional`, and those for sizes."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.memory.layout import contiguous_format
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.overriding import divert, has_word
from rushlight.errors.warning import warn

legacy_contiguous_format = contiguous_format


def as_function(name: str, example: str) -> Callable:
    """A method of Tensor as a function; `example` calls it as one."""

    def function(input: Tensor, *arguments: Any, **options: Any) -> Any:
        if not isinstance(input, Tensor):
            kind = type(input).__name__
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {kind}")
        return getattr(input, name)(*arguments, **options)

    function.__name__ = function.__qualname__ = name
    sentence = (getattr(Tensor, name).__doc__ or "").partition("\n")[0]  # none with python -OO
    function.__doc__ = f"{sentence}\n{example}"
    return function


detach = as_function(
    "detach",
    """
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> torch.detach(x * 2)
    tensor([2.])
    """,
)
detach_ = as_function(
    "detach_",
    """
    >>> y = torch.tensor([1.0], requires_grad=True) * 2
    >>> torch.detach_(y)
    tensor([2.])
    """,
)
is_inference = as_function(
    "is_inference",
    """
    >>> with torch.inference_mode():
    ...     x = torch.ones(2)
    >>> torch.is_inference(x)
    True
    """,
)
is_same_size = as_function(
    "is_same_size",
    """
    >>> torch.is_same_size(torch.zeros(2, 3), torch.ones(3, 2))
    False
    """,
)
get_device = as_function(
    "get_device",
    """
    >>> torch.get_device(torch.zeros(2))
    -1
    """,
)
as_strided_ = as_function(
    "as_strided_",
    """
    >>> torch.as_strided_(torch.arange(4), (2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]])
    """,
)
conj_physical_ = as_function(
    "conj_physical_",
    """
    >>> torch.conj_physical_(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """,
)
square_ = as_function(
    "square_",
    """
    >>> torch.square_(torch.tensor([2, -3]))
    tensor([4, 9])
    """,
)


def detach_copy(input: Tensor) -> Tensor:
    """A copy without history.

    >>> x = torch.zeros(2)
    >>> y = torch.detach_copy(x).fill_(1)
    >>> x
    tensor([0., 0.])
    """
    return detach(input).clone()


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
    cudnn_enable: bool = True,
) -> Tensor:
    """`torch.nn.functional.layer_norm`.

    >>> torch.layer_norm(torch.tensor([1.0, 2.0, 3.0]), (3,))
    tensor([-1.2247,  0.0000,  1.2247])
    """
    from rushlight.nn import functional

    return functional.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """`torch.nn.functional.rms_norm`.

    >>> torch.rms_norm(torch.tensor([3.0, 4.0]), (2,))
    tensor([0.8485, 1.1314])
    """
    from rushlight.nn import functional

    return functional.rms_norm(input, normalized_shape, weight, eps)


def require_tensor(function: str, name: str, value: Any) -> None:
    """Refuse a first argument that is no tensor."""
    if not isinstance(value, Tensor):
        raise TypeError(f"{function}(): argument '{name}' (position 1) must be Tensor, not {type(value).__name__}")


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of each number, the highest first: `torch.linalg.vander` the other way round.

    >>> torch.vander(torch.tensor([2, 3]), N=3)
    tensor([[4, 2, 1],
            [9, 3, 1]])
    """
    from rushlight.ops.linalg.vectors import powers

    require_tensor("vander", "x", x)
    if x.ndim != 1:
        raise RuntimeError(f"x must be a one-dimensional tensor, not of shape {list(x.shape)}")
    if N is not None and N < 0:
        raise RuntimeError(f"N must be non-negative, not {N}")
    count = len(x) if N is None else N
    x = x.long() if x.dtype is dtypes.bool_ else x
    # powers of 0 alone are ones without a history
    found = powers(x, count) if count > 1 else x.new_ones((len(x), count))
    return found if increasing else found.flip(1)


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dimensions but one, which stay with size 1; over all of them if `dim` is -1.

    >>> torch.norm_except_dim(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), dim=0)
    tensor([[ 5.],
            [10.]])
    """
    require_tensor("norm_except_dim", "v", v)
    if dim == -1:
        return v.norm(pow)
    size = v.size(dim)
    if dim % v.ndim == v.ndim - 1 and v.ndim > 1:
        return v.reshape(-1, size).norm(pow, 0).view([1] * (v.ndim - 1) + [size])
    if dim != 0:
        return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
    return v.reshape(size, -1).norm(pow, 1).view([size] + [1] * (v.ndim - 1))


def _weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> Tensor:
    """A direction brought to a length, that of each slice along a dimension."""
    if dim in (0, v.ndim - 1):
        from rushlight.ops.normalization.weight_norms import weight_norm_interface

        return weight_norm_interface(v, g, dim)[0]
    return v * (g / norm_except_dim(v, 2, dim))


def to_dlpack(tensor: Tensor) -> Any:
    """The capsule that describes a tensor's memory to another library.

    >>> torch.from_dlpack(torch.to_dlpack(torch.tensor([1, 2])))
    tensor([1, 2])
    """
    require_tensor("to_dlpack", "tensor", tensor)
    return tensor.__dlpack__()


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode on or off in this thread.

    >>> torch.set_anomaly_enabled(True)
    >>> torch.is_anomaly_enabled()
    True
    >>> torch.set_anomaly_enabled(False)
    """
    if not isinstance(enabled, bool):
        given = type(enabled).__name__
        raise TypeError(f"set_anomaly_enabled(): argument 'enabled' (position 1) must be bool, not {given}")
    from rushlight.autograd.modes import state

    state.anomaly, state.check_anomaly = enabled, check_nan


# sizes are Python integers, so these are Python's own functions
sym_int, sym_float, sym_sqrt = builtins.int, builtins.float, math.sqrt


def sym_not(a: Any) -> bool:
    """Whether a condition does not hold.

    >>> torch.sym_not(2 > 3)
    True
    """
    return not a


def sym_max(a: float, b: float) -> float:
    """The larger of two numbers; a float if one of them is.

    >>> torch.sym_max(2, 3.0), torch.sym_max(3, 2.0)
    (3.0, 3.0)
    """
    return type(a + b)(max(a, b))


def sym_min(a: float, b: float) -> float:
    """The smaller of two numbers; a float if one of them is.

    >>> torch.sym_min(2, 3.0)
    2.0
    """
    return type(a + b)(min(a, b))


def sym_sum(args: Sequence[int]) -> int:
    """The sum of numbers.

    >>> torch.sym_sum([1, 2, 3])
    6
    """
    return sum(args)


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    """The one or the other, as `b` says.

    >>> torch.sym_ite(2 > 3, "larger", "not larger")
    'not larger'
    """
    return t if b else f


def _assert(condition: Any, message: str) -> None:
    """Raise an AssertionError with the message unless the condition holds; recorded where a graph is traced."""
    if has_word(condition):
        divert(_assert, (condition, message), {})
        return
    assert condition, message


def _check(cond: Any, message: Callable[[], str] | None = None) -> None:
    """Raise a RuntimeError unless a condition holds."""
    if not cond:
        raise RuntimeError("Expected cond to be True, but got False." if message is None else str(message()))


def _check_is_size(i: Any, message: Callable[[], str] | None = None, *, max: int | None = None) -> None:
    """Raise a RuntimeError unless a number can be a size."""
    _check(i >= 0, message)


def _has_compatible_shallow_copy_type(input: Tensor, from_: Tensor) -> bool:
    """Whether `input.data = from_` keeps the kind of tensor: both have numbers, or neither has."""
    return input.is_meta == from_.is_meta


def set_vital(*args: Any) -> None:
    """Nothing, as in torch, which has kept the name for older packages.

    >>> print(torch.set_vital("Dataloader", "enabled", "True"))
    None
    """
    warn("'set_vital' is deprecated, please do not call")
