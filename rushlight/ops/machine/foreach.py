"""`torch._foreach_*`: an op on each tensor of a list, with a number, a tensor, or elements of other lists."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.bind import NAMESPACES

TOP = NAMESPACES[""]
UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal
round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc""".split()
# the op for lists, the one for numbers, and whether one tensor may stand for all elements
BINARY = {
    "add": ("add", "add", True),
    "sub": ("sub", "sub", False),
    "mul": ("mul", "mul", True),
    "div": ("div", "div", True),
    "clamp_min": ("clamp_min", "clamp_min", False),
    "clamp_max": ("clamp_max", "clamp_max", False),
    "maximum": ("maximum", "clamp_min", False),
    "minimum": ("minimum", "clamp_max", False),
    "pow": ("pow", "pow", False),
}
# names of the second argument
SECOND = ("other", "scalar", "scalars", "exponent")
THIRD = ("value", "scalars", "weight", "weights")


def is_number(value: Any) -> bool:
    return isinstance(value, numbers.Number | np.generic) or (isinstance(value, Tensor) and value.ndim == 0)


def tensors(name: str, value: Any, position: int) -> list[Tensor]:
    """The argument, if it is a list of tensors."""
    if not isinstance(value, list | tuple):
        raise wrong_arguments(name, value)
    for i, each in enumerate(value):
        if not isinstance(each, Tensor):
            kind = type(each).__name__
            raise TypeError(f"expected Tensor as element {i} in argument {position}, but got {kind}")
    return list(value)


def wrong_arguments(name: str, *given: Any) -> TypeError:
    kinds = ", ".join(type(each).__name__ for each in given)
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({kinds}), but expected lists of Tensors, and "
        "a number, a list of numbers or a list of Tensors beside them"
    )


def check_lengths(first: list[Tensor], *others: list[Tensor]) -> None:
    if not first:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for each in others:
        if len(each) != len(first):
            raise RuntimeError(f"Tensor lists must have the same number of tensors, got {len(first)} and {len(each)}")


def spread(name: str, first: list[Tensor], value: Any, position: int) -> list:
    """One value for each tensor: a number for all of them, a list of numbers, or a list of tensors."""
    if is_number(value):
        check_lengths(first)
        return [value] * len(first)
    if not isinstance(value, list | tuple):
        raise wrong_arguments(name, first, value)
    if value and not isinstance(value[0], Tensor) and all(map(is_number, value)):
        check_lengths(first)
        if len(value) != len(first):
            raise RuntimeError("Tensor list must have same number of elements as scalar list.")
        return list(value)
    found = tensors(name, value, position)
    check_lengths(first, found)
    return found


def given(name: str, arguments: tuple, options: dict[str, Any], names: Sequence[str]) -> Any:
    """The argument after the lists, by position or by one of its names."""
    if arguments:
        return arguments[0]
    for each in names:
        if each in options:
            return options.pop(each)
    raise wrong_arguments(name)


def run(function: Callable, inplace: bool, rows: list[tuple], options: dict[str, Any]) -> Any:
    """Call a function for each row; the results, or the changed tensors."""
    results = [function(*row, **options) for row in rows]
    return [row[0] for row in rows] if inplace else tuple(results)


def form(name: str, inplace: bool) -> Callable:
    """The function of this name, or the method that changes its tensor."""
    if inplace:
        return lambda tensor, *rest, **options: getattr(tensor, name + "_")(*rest, **options)
    return lambda *row, **options: TOP[name](*row, **options)


def unary(name: str, inplace: bool) -> Callable:
    shown, function = f"_foreach_{name}" + "_" * inplace, form(name, inplace)

    def foreach(self: Sequence[Tensor]) -> Any:
        found = tensors(shown, self, 0)
        check_lengths(found)
        return run(function, inplace, [(each,) for each in found], {})

    return foreach


def binary(name: str, inplace: bool) -> Callable:
    shown = f"_foreach_{name}" + "_" * inplace
    for_lists, for_numbers, takes_tensor = BINARY[name]

    def foreach(self: Any, *arguments: Any, **options: Any) -> Any:
        second = given(shown, arguments, options, SECOND)
        if name == "pow" and not inplace and is_number(self):
            powers = tensors(shown, second, 1)
            check_lengths(powers)
            return run(TOP["pow"], False, [(self, each) for each in powers], {})
        first = tensors(shown, self, 0)
        one = takes_tensor and isinstance(second, Tensor)
        if one and second.ndim:
            raise RuntimeError(
                f"scalar tensor expected to be 0 dim but it has {second.ndim} dimensions and {second.numel()} elements."
            )
        beside = spread(shown, first, second, 1)
        numbers_only = is_number(second) or not isinstance(beside[0], Tensor)
        if options and (set(options) != {"alpha"} or name not in ("add", "sub") or (numbers_only and not one)):
            raise wrong_arguments(shown, self, second, *options.values())
        chosen = for_numbers if numbers_only else for_lists
        if inplace and chosen in ("maximum", "minimum"):
            chosen = BINARY[name][1]  # there is no maximum_, and this one does the same
        return run(form(chosen, inplace), inplace, list(zip(first, beside, strict=True)), options)

    return foreach


def ternary(name: str, inplace: bool) -> Callable:
    shown, function = f"_foreach_{name}" + "_" * inplace, form(name, inplace)

    def foreach(self: Any, tensor1: Any, tensor2: Any, *arguments: Any, **options: Any) -> Any:
        lists = [tensors(shown, each, position) for position, each in enumerate((self, tensor1, tensor2))]
        value = given(shown, arguments, options, THIRD) if arguments or options else 1
        if options:
            raise wrong_arguments(shown, self, tensor1, tensor2, *options.values())
        if isinstance(value, Tensor):
            value = packed(value, len(lists[0]))
        check_lengths(*lists)
        values = spread(shown, lists[0], value, 3)
        pairs = zip(zip(*lists, strict=True), values, strict=True)
        results = [function(*row, value=each) for row, each in pairs]
        return lists[0] if inplace else tuple(results)

    return foreach


def packed(value: Tensor, number: int) -> list:
    """The numbers of a tensor that has one for each element of the lists."""
    if value.ndim != 1:
        raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {value.ndim} instead.")
    if len(value) != number:
        raise RuntimeError(
            f"Expected length of scalars to match input of length {number} but got {len(value)} instead."
        )
    return value.tolist()


def lerp(inplace: bool) -> Callable:
    shown, function = "_foreach_lerp" + "_" * inplace, form("lerp", inplace)

    def foreach(self: Any, tensors1: Any, *arguments: Any, **options: Any) -> Any:
        first, ends = tensors(shown, self, 0), tensors(shown, tensors1, 1)
        weights = spread(shown, first, given(shown, arguments, options, THIRD), 2)
        check_lengths(first, ends)
        return run(function, inplace, list(zip(first, ends, weights, strict=True)), options)

    return foreach


def _foreach_norm(self: Sequence[Tensor], ord: float = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """The norm of each tensor, as that of a vector."""
    from rushlight import linalg

    found = tensors("_foreach_norm", self, 0)
    check_lengths(found)
    return tuple(linalg.vector_norm(each, ord, dtype=dtype) for each in found)


def _foreach_powsum(self: Sequence[Tensor], ord: float = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """The sum of powers of the sizes of each tensor's elements."""
    found = tensors("_foreach_powsum", self, 0)
    check_lengths(found)
    return tuple((each if dtype is None else each.to(dtype)).abs().pow(ord).sum() for each in found)


def _foreach_max(self: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The largest element of each tensor."""
    found = tensors("_foreach_max", self, 0)
    check_lengths(found)
    if not all(each.numel() for each in found):
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
        )
    return tuple(each.max() for each in found)


def _foreach_mm(self: Sequence[Tensor], mat2: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The product of each pair of matrices."""
    first, second = tensors("_foreach_mm", self, 0), tensors("_foreach_mm", mat2, 1)
    check_lengths(first, second)
    return run(TOP["mm"], False, list(zip(first, second, strict=True)), {})


def _foreach_clone(self: Sequence[Tensor], *, memory_format: Any = None) -> tuple[Tensor, ...]:
    """A copy of each tensor."""
    found = tensors("_foreach_clone", self, 0)
    check_lengths(found)
    options = {} if memory_format is None else {"memory_format": memory_format}
    return run(TOP["clone"], False, [(each,) for each in found], options)


def _foreach_copy_(self: Sequence[Tensor], src: Sequence[Tensor], non_blocking: bool = False) -> list[Tensor]:
    """Write each tensor of one list into that of another."""
    first, second = tensors("_foreach_copy_", self, 0), tensors("_foreach_copy_", src, 1)
    check_lengths(first, second)
    return run(form("copy", True), True, list(zip(first, second, strict=True)), {})


def declare() -> None:
    """Give `torch` all of them."""
    made = [(name, unary) for name in UNARY] + [(name, binary) for name in BINARY]
    made += [("addcdiv", ternary), ("addcmul", ternary), ("lerp", lambda _, inplace: lerp(inplace))]
    for name, make in made:
        for inplace in (False, True):
            publish(f"_foreach_{name}" + "_" * inplace, make(name, inplace))
    publish("_foreach_zero_", unary("zero", True))
    for each in (_foreach_norm, _foreach_powsum, _foreach_max, _foreach_mm, _foreach_clone, _foreach_copy_):
        publish(each.__name__, each)


def publish(name: str, function: Callable) -> None:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = function.__doc__ or f"`{name.removeprefix('_foreach_')}` of each tensor of a list."
    TOP[name] = function


declare()
