"""Gradcheck: gradients compared with differences, `(f(x + h) - f(x - h)) / 2h`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from rushlight.autograd import entry, modes
from rushlight.autograd.function import Function
from rushlight.autograd.jacobians import (
    _get_analytical_jacobian,
    _get_numerical_jacobian,
    get_analytical_jacobian,
    get_numerical_jacobian,
    get_numerical_jacobian_wrt_specific_input,
)
from rushlight.core.object.tensor import Tensor, new, wrap


class GradcheckError(RuntimeError):
    """A gradient that differs from its finite difference."""


def gradcheck(
    func: Callable,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of `func` at `inputs` (float64 tensors) agree with finite differences.

    `fast_mode` compares along one random direction instead of every element.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    arguments = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    wanted = require_doubles(arguments)
    check = Check(func, arguments, wanted, eps, atol, rtol)
    try:
        if check_backward_ad:
            check.backward(fast_mode, nondet_tol)
        if check_forward_ad and check.outputs:
            check.forward()
        if check_batched_forward_grad and check.outputs:
            check.batched_forward()
        if not check_backward_ad:
            return True
        if check_batched_grad:
            check.batched()
        check.multiplied()
        if check_undefined_grad:
            check.undefined()
        if check_grad_dtypes:
            check.dtypes()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def require_doubles(arguments: tuple) -> list[int]:
    """The positions of the inputs to check; a warning if their precision is too low for differences."""
    wanted = [place for place, each in enumerate(arguments) if isinstance(each, Tensor) and each.requires_grad]
    if not wanted:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for place in wanted:
        if arguments[place]._array.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{place} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex.",
                UserWarning,
                stacklevel=3,
            )
        if any(
            step == 0 and size > 1 for step, size in zip(arguments[place].stride(), arguments[place].shape, strict=True)
        ):
            raise RuntimeError(
                f"The {place}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                ".contiguous on the input before passing it to gradcheck."
            )
    return wanted


class Check:
    """One function at one point."""

    def __init__(self, func: Callable, arguments: tuple, wanted: list[int], eps: float, atol: float, rtol: float):
        self.func, self.arguments, self.wanted = func, arguments, wanted
        self.eps, self.atol, self.rtol = eps, atol, rtol
        self.outputs = self.differentiable(func(*arguments))
        self.inputs = [arguments[place] for place in wanted]

    def differentiable(self, results: Any) -> list[Tensor]:
        many = results if isinstance(results, (tuple, list)) else (results,)
        return [each for each in many if each.requires_grad]

    def backward(self, fast_mode: bool, nondet_tol: float) -> None:
        """The gradients beside differences, along one direction or for every element."""
        if not self.outputs:
            self.no_slope(fast_mode)
        elif fast_mode:
            self.one_direction()
            self.repeated(nondet_tol)
        else:
            # gradients that change from one backward to the next are no Jacobian to compare with
            self.repeated(nondet_tol)
            self.every_element()

    def values_at(self, place: int, moved: np.ndarray) -> list[np.ndarray]:
        """The outputs with one input replaced."""
        with modes.enable_grad():
            return [each._array.copy() for each in self.differentiable(self.moved(place, moved))]

    def moved(self, place: int, moved: np.ndarray) -> Any:
        """What the function gives with one input replaced."""
        arguments = list(self.arguments)
        # one tensor may be given twice: it stays one. NumPy makes scalars of 0-dim sums
        copies = {id(self.arguments[place]): leaf(np.asarray(moved))}
        for each in self.wanted:
            given = self.arguments[each]
            arguments[each] = copies.setdefault(id(given), leaf(given._array.copy()))
        return self.func(*arguments)

    def no_slope(self, with_integers: bool) -> None:
        """A function none of whose outputs has a gradient must not change with its inputs."""
        for place in self.wanted:
            start = self.arguments[place]._array
            for step in steps(start):
                ahead, behind = (self.moved(place, start + sign * self.eps * step) for sign in (1, -1))
                for one, two in zip(entry.as_tuple(ahead), entry.as_tuple(behind), strict=True):
                    if (with_integers or one._array.dtype.kind in "fcV") and np.any(one._array != two._array):
                        raise GradcheckError("Numerical gradient for function expected to be zero")

    def batched(self) -> None:
        """Gradients for several cotangents at once must be those for each."""
        random = np.random.default_rng(0)
        for number, output in enumerate(self.outputs):
            starts = [random_like(random, output._array) for _ in range(2)]
            rows = [self.gradients(number, each) for each in starts]
            given = new(Tensor)
            given._array = np.stack(starts)
            options = {"retain_graph": True, "allow_unused": True, "is_grads_batched": True}
            for place, found in enumerate(entry.grad(output, self.inputs, given, **options)):
                expected = np.stack([row[place] for row in rows])
                if found is not None and not np.allclose(found._array, expected, self.rtol, self.atol):
                    raise GradcheckError(
                        f"For output {number} and input {place}: batched gradients differ from those one by one"
                    )

    def dtypes(self) -> None:
        """Gradients have the dtypes of their inputs."""
        for number, output in enumerate(self.outputs):
            for each, grad in zip(self.inputs, self.gradients(number, np.ones_like(output._array)), strict=True):
                if grad.dtype != each._array.dtype:
                    raise GradcheckError("Gradient has dtype mismatch")

    def slope(self, place: int, direction: np.ndarray) -> list[np.ndarray]:
        """The derivative of each output along a direction of one input."""
        start = self.arguments[place]._array
        ahead = self.values_at(place, start + self.eps * direction)
        behind = self.values_at(place, start - self.eps * direction)
        return [(one - two) / (2 * self.eps) for one, two in zip(ahead, behind, strict=True)]

    def gradients(self, output: int, cotangent: np.ndarray) -> list[np.ndarray]:
        given = new(Tensor)
        given._array = np.asarray(cotangent, self.outputs[output]._array.dtype)
        found = entry.grad(self.outputs[output], self.inputs, given, retain_graph=True, allow_unused=True)
        return [
            np.zeros_like(each._array) if grad is None else grad._array
            for each, grad in zip(self.inputs, found, strict=True)
        ]

    def tangents(self, place: int, direction: Any) -> list[Any]:
        """The derivative of each output along a direction of one input, in forward mode."""
        from rushlight.autograd import forward_ad

        with forward_ad.dual_level():
            arguments = list(self.arguments)
            dual = forward_ad.make_dual(arguments[place], direction)
            # one tensor may be given twice: it moves in both places
            arguments = [dual if each is arguments[place] else each for each in arguments]
            found = self.differentiable(self.func(*arguments))
            return [forward_ad.unpack_dual(each).tangent for each in found]

    def forward(self) -> None:
        """Every direction in forward mode against differences."""
        for number, place in enumerate(self.wanted):
            for step in steps(self.arguments[place]._array):
                slopes = self.slope(place, step)
                for output, (slope, moved) in enumerate(zip(slopes, self.tangents(place, wrap(step)), strict=True)):
                    found = np.zeros_like(slope) if moved is None else moved._array
                    if not np.allclose(found, slope, self.rtol, self.atol, equal_nan=True):
                        raise GradcheckError(
                            f"Jacobian computed with forward mode mismatch for output {output} with respect to input "
                            f"{number},\nnumerical:{slope}\nanalytical:{found}"
                        )

    def filled(self, moved: list[Any]) -> tuple:
        """Tangents, with zeros for outputs that do not move."""
        pairs = zip(moved, self.outputs, strict=True)
        return tuple([wrap(np.zeros_like(output._array)) if each is None else each for each, output in pairs])

    def batched_forward(self) -> None:
        """Tangents of several directions at once must be those of each."""
        from rushlight.func.mapping import vmap

        random = np.random.default_rng(0)
        for number, place in enumerate(self.wanted):
            directions = [random_like(random, self.arguments[place]._array) for _ in range(2)]
            rows = [self.filled(self.tangents(place, wrap(each))) for each in directions]
            found = vmap(lambda each, place=place: self.filled(self.tangents(place, each)))(wrap(np.stack(directions)))
            expected = [np.stack([each._array for each in pair]) for pair in zip(*rows, strict=True)]
            for output, (one, two) in enumerate(zip(found, expected, strict=True)):
                if not np.allclose(one._array, two, self.rtol, self.atol, equal_nan=True):
                    raise GradcheckError(
                        f"For output {output} and input {number}: batched forward derivatives differ from those one "
                        "by one"
                    )

    def every_element(self) -> None:
        slopes = [[self.slope(place, step) for step in steps(self.arguments[place]._array)] for place in self.wanted]
        for output, result in enumerate(self.outputs):
            analytical = [self.gradients(output, step) for step in steps(result._array)]
            for number in range(len(self.wanted)):
                rows = [assembled(slopes[number], output, step, self.inputs[number]) for step in steps(result._array)]
                numerical = np.array(rows)
                found = np.array([row[number] for row in analytical]).reshape(numerical.shape)
                for part, chosen in parts(result._array):
                    self.compare(output, number, numerical[chosen], found[chosen], part)

    def one_direction(self) -> None:
        random = np.random.default_rng(0)
        for number, place in enumerate(self.wanted):
            direction = random_like(random, self.arguments[place]._array)
            for output, slope in enumerate(self.slope(place, direction)):
                for part, _ in parts(slope):
                    cotangent = random_like(random, slope)
                    if part is not None:
                        cotangent = cotangent.imag * 1j if part == "imaginary" else cotangent.real + 0j
                    numerical = np.vdot(cotangent, slope).real
                    analytical = np.vdot(self.gradients(output, cotangent)[number], direction).real
                    self.compare(output, number, np.array(numerical), np.array(analytical), part)

    def compare(
        self, output: int, number: int, numerical: np.ndarray, analytical: np.ndarray, part: str | None = None
    ) -> None:
        if not np.allclose(analytical, numerical, self.rtol, self.atol, equal_nan=True):
            where = "" if part is None else f"While considering the {part} part of complex outputs only, "
            raise GradcheckError(
                f"{where}Jacobian mismatch for output {output} with respect to input {number},\n"
                f"numerical:{numerical.T}\nanalytical:{analytical.T}"
            )

    def repeated(self, tolerance: float) -> None:
        for output, result in enumerate(self.outputs):
            cotangent = np.ones_like(result._array)
            for one, two in zip(self.gradients(output, cotangent), self.gradients(output, cotangent), strict=True):
                if one.size and np.abs(one - two).max() > tolerance and not np.isnan(one).any():
                    raise GradcheckError(
                        "Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
                        "times gives different values, although analytical gradient matches numerical gradient."
                        f"The tolerance for nondeterminism was {tolerance}."
                    )

    def multiplied(self) -> None:
        """A gradient of zero must stay zero."""
        for output, result in enumerate(self.outputs):
            for grad in self.gradients(output, np.zeros_like(result._array)):
                if np.any(np.nan_to_num(grad) != 0):
                    raise GradcheckError("backward not multiplied by grad_output")

    def undefined(self) -> None:
        """A missing gradient must count as zero: that of all outputs, then of each."""
        for missing in {tuple(self.outputs), *[(each,) for each in self.outputs]}:
            roots = [Undefined.apply(each) if any(each is one for one in missing) else each for each in self.outputs]
            zeros = [wrap(np.zeros_like(each._array)) for each in self.outputs]
            try:
                found = entry.grad(roots, self.inputs, zeros, retain_graph=True, allow_unused=True)
            except RuntimeError as error:
                raise GradcheckError(UNDEFINED) from error
            if any([each is not None and np.any(each._array != 0) for each in found]):
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are undefined or zero"
                )


UNDEFINED = "Expected backward function to handle undefined output grads: None counts as zero"


class Undefined(Function):
    """Its argument, which gets no gradient."""

    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        return value.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> None:
        return None


def leaf(array: np.ndarray) -> Tensor:
    made = new(Tensor)
    made._array, made._requires_grad = array, True
    return made


def steps(array: np.ndarray) -> list[np.ndarray]:
    """A step along each element; for complex ones, along its real and then its imaginary part."""
    found = []
    for place in range(array.size):
        for size in (1, 1j) if array.dtype.kind == "c" else (1,):
            step = np.zeros(array.size, array.dtype)
            step[place] = size
            found.append(step.reshape(array.shape))
    return found


def parts(array: np.ndarray) -> list[tuple[str | None, slice]]:
    """The rows of a Jacobian that belong together: for complex outputs the imaginary ones, then the real ones."""
    if array.dtype.kind != "c":
        return [(None, slice(None))]
    return [("imaginary", slice(1, None, 2)), ("real", slice(0, None, 2))]


def assembled(slopes: list, output: int, cotangent: np.ndarray, tensor: Tensor) -> np.ndarray:
    """The gradient for a cotangent, from the slopes along every step of an input."""
    values = np.array([np.vdot(cotangent, slope[output]).real for slope in slopes])
    if tensor._array.dtype.kind == "c":
        values = values[0::2] + 1j * values[1::2]
    return values.reshape(-1)


def random_like(random: np.random.Generator, array: np.ndarray) -> np.ndarray:
    found = random.uniform(0.5, 1.5, array.shape)
    if array.dtype.kind == "c":
        found = found + 1j * random.uniform(0.5, 1.5, array.shape)
    return np.asarray(found, array.dtype)


def gradgradcheck(
    func: Callable,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Like `gradcheck`, for the gradients of the gradients."""
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    arguments = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    results = func(*arguments)
    many = results if isinstance(results, (tuple, list)) else (results,)
    places = [place for place, each in enumerate(many) if isinstance(each, Tensor) and each.requires_grad]
    if grad_outputs is None:
        random = np.random.default_rng(1)
        given = [leaf(random_like(random, many[place]._array)) for place in places]
    else:
        given = list(entry.as_tuple(grad_outputs))
    count = len(arguments)

    def gradients(*args: Any) -> tuple:
        values, cotangents = args[:count], args[count:]
        produced = func(*values)
        produced = produced if isinstance(produced, (tuple, list)) else (produced,)
        sources = [each for each in values if isinstance(each, Tensor) and each.requires_grad]
        found = entry.grad(
            [produced[place] for place in places], sources, cotangents, create_graph=True, allow_unused=True
        )
        return tuple(each for each in found if each is not None)

    return gradcheck(
        gradients,
        (*arguments, *given),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=False,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )


class CallableModule(ModuleType):
    """torch has a function and a module of this name; whichever the import system put in place, calling it works."""

    def __call__(self, *args: Any, **kwargs: Any) -> bool:
        return gradcheck(*args, **kwargs)


sys.modules[__name__].__class__ = CallableModule

__all__ = [
    "GradcheckError",
    "_get_analytical_jacobian",
    "_get_numerical_jacobian",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "get_numerical_jacobian_wrt_specific_input",
    "gradcheck",
    "gradgradcheck",
]
