"""Jacobians as matrices, (elements of an input, elements of an output): by differences, and by the graph."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from rushlight.autograd import entry, modes
from rushlight.core.object.tensor import Tensor, wrap


def deprecated(name: str) -> None:
    warnings.warn(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be "
        "removed in a future version of PyTorch. torch.autograd.functional.jacobian computes Jacobians.",
        FutureWarning,
        stacklevel=3,
    )


def require_one(grad_out: float, name: str) -> None:
    if grad_out != 1.0:
        raise ValueError(
            f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0. Multiply the result."
        )


def checked_points(inputs: Any, target: Any = None) -> list[Tensor]:
    """The tensors to differentiate by: those of `target`, or of the inputs, that require grad."""
    found = [each for each in entry.as_tuple(inputs if target is None else target) if isinstance(each, Tensor)]
    found = [each for each in found if each.requires_grad]
    for each in found:
        if each._array.dtype.kind == "c":
            raise NotImplementedError("Jacobians of complex inputs are not in Rushlight; gradcheck compares those")
    return found


def _get_numerical_jacobian(
    fn: Callable,
    inputs: Any,
    outputs: Any = None,
    target: Any = None,
    eps: float = 1e-3,
    is_forward_ad: bool = False,
) -> list[tuple[Tensor, ...]]:
    """For each input that requires grad: its Jacobian for every output of `fn(*inputs)`, by differences."""
    given = entry.as_tuple(inputs)
    return [differences(fn, given, each, eps) for each in checked_points(given, target)]


def differences(fn: Callable, inputs: tuple, point: Tensor, eps: float) -> tuple[Tensor, ...]:
    """The Jacobian of each output for one input, which is moved in place and put back."""
    columns: list[list[np.ndarray]] = []
    for place in range(point._array.size):
        index = np.unravel_index(place, point._array.shape)
        held = point._array[index].copy()
        values = []
        try:
            for step in (eps, -eps):
                point._array[index] = held + step
                with modes.no_grad():
                    values.append([each._array.copy() for each in entry.as_tuple(fn(*inputs))])
        finally:
            point._array[index] = held
        columns.append([(ahead - behind).reshape(-1) / (2 * eps) for ahead, behind in zip(*values, strict=True)])
    return tuple(wrap(np.array(rows)) for rows in zip(*columns, strict=True))


def get_numerical_jacobian(
    fn: Callable, inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> tuple[Tensor, ...]:
    """The Jacobian of the first output of `fn(inputs)` for each input, by differences; use `functional.jacobian`."""
    deprecated("get_numerical_jacobian")
    require_one(grad_out, "get_numerical_jacobian")
    found = _get_numerical_jacobian(lambda *args: fn(args), inputs, None, target, eps)
    return tuple(each[0] for each in found)


def get_numerical_jacobian_wrt_specific_input(
    fn: Callable, input_idx: int, inputs: Any, outputs: Any, eps: float, input: Any = None, is_forward_ad: bool = False
) -> tuple[Tensor, ...]:
    """The Jacobian of each output for one input, by differences."""
    given = entry.as_tuple(inputs)
    return differences(fn, given, given[input_idx] if input is None else input, eps)


def analytical(points: Iterable[Tensor], output: Tensor) -> tuple[list[Tensor], bool, bool]:
    """The Jacobian of an output for each point, by the graph; whether shapes and dtypes are those of the points."""
    points = list(points)
    found = [np.zeros((each.numel(), output.numel()), each._array.dtype) for each in points]
    shapes = kinds = True
    for place in range(output.numel()):
        start = np.zeros(output.numel(), output._array.dtype)
        start[place] = 1
        start = start.reshape(output._array.shape)
        grads = entry.grad(output, points, wrap(start), retain_graph=True, allow_unused=True)
        for point, matrix, grad in zip(points, found, grads, strict=True):
            if grad is not None:
                shapes &= grad.shape == point.shape
                kinds &= grad.dtype == point.dtype
                matrix[:, place] = grad._array.reshape(-1)
    return [wrap(each) for each in found], shapes, kinds


def get_analytical_jacobian(
    inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0
) -> tuple[tuple[Tensor, ...], bool, bool, bool]:
    """The Jacobian for each input, by the graph; whether a second run agrees, whether sizes and dtypes are right."""
    deprecated("get_analytical_jacobian")
    require_one(grad_out, "get_analytical_jacobian")
    points = checked_points(inputs)
    found, shapes, kinds = analytical(points, output)
    again, _, _ = analytical(points, output)
    pairs = zip(found, again, strict=True)
    reentrant = all(not one.numel() or np.abs(one._array - two._array).max() <= nondet_tol for one, two in pairs)
    return tuple(found), reentrant, shapes, kinds


def _get_analytical_jacobian(inputs: Any, outputs: Any, input_idx: int, output_idx: int) -> Tensor:
    """The Jacobian of one output for one input, by the graph."""
    points = checked_points(inputs)
    return analytical(points, entry.as_tuple(outputs)[output_idx])[0][input_idx]
