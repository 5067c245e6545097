"""What formulas share: gradients brought to another shape."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.autograd.modes import state
from rushlight.core.object.tensor import Tensor


def sum_to_shape(grad: Tensor, shape: tuple[int, ...], node: Any = None, position: int = 0) -> Tensor:
    """The gradient of an input that was broadcast: summed over the dimensions it was stretched along."""
    given = grad._array.shape
    extra = len(given) - len(shape)
    if extra >= 0 and given[extra:] == shape and grad._array.size == math.prod(shape):
        # only leading dimensions of size 1 go: a view is enough
        return grad.reshape(shape)
    if extra < 0 or any(b not in (1, a) for a, b in zip(given[extra:], shape, strict=True)):
        name = node.name() if node is not None else "Function"
        raise RuntimeError(
            f"Function {name} returned an invalid gradient at index {position} - got {list(given)} but expected shape "
            f"compatible with {list(shape)}"
        )
    if not shape:
        return grad.sum()
    reduced = [*range(extra), *[extra + dim for dim, size in enumerate(shape) if size == 1 and given[extra + dim] != 1]]
    grad = grad.sum(reduced, keepdim=True)
    return grad.view(shape) if extra else grad


def spread(grad: Tensor, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Tensor:
    """A reduction's gradient, back over the dimensions that were reduced."""
    return widened(grad, shape, dim, keepdim).expand(shape)


def widened(grad: Tensor, shape: tuple[int, ...], dim: Any, keepdim: bool) -> Tensor:
    """A reduction's gradient or result with the reduced dimensions put back, of size 1; over all of them as it is."""
    if keepdim or not shape or dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return grad
    for each in sorted(reduced_dims(dim, len(shape))):
        grad = grad.unsqueeze(each)
    return grad


def kept_shape(shape: tuple[int, ...], dim: Any) -> tuple[int, ...]:
    """The shape after a reduction with keepdim."""
    dims = reduced_dims(dim, len(shape))
    return tuple(1 if place in dims else size for place, size in enumerate(shape))


def reduced_dims(dim: Any, ndim: int) -> tuple[int, ...]:
    """The dimensions a reduction runs over, counted from the front."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(ndim))
    dims = dim if isinstance(dim, (tuple, list)) else (dim,)
    return tuple(each % ndim if ndim else 0 for each in dims)


def conjugate(value: Any) -> Any:
    """The complex conjugate of a tensor or number; real ones are left alone."""
    if isinstance(value, Tensor):
        return value.conj() if value._array.dtype.kind == "c" else value
    return value.conjugate() if isinstance(value, complex) else value


def zeros(grad: Tensor) -> Tensor:
    """The gradient of a function that is flat wherever it has a slope at all."""
    return grad.new_zeros(grad.shape)


def refuse_history(function: str, **inputs: Tensor | None) -> None:
    """Refuse inputs with a history that torch's gradient of a function leaves out."""
    for name, each in inputs.items():
        if each is not None and each.requires_grad and state.grad:
            raise RuntimeError(
                f"The function '{function}' is not differentiable with respect to argument '{name}'. This input cannot "
                f"have requires_grad True.: detach() it, or compute under torch.no_grad()"
            )


def underivable(words: str, error: type[Exception] = RuntimeError) -> Callable:
    """The formula of an input that torch has no gradient for: asking for it is an error."""

    def formula(grad):
        raise error(f"{words} is not implemented. detach() that input if no gradient should flow there.")

    return formula
