"""Comparison: whether two tensors, numbers or collections of them are close, and where they are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rushlight.core.creation.data import array_from
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.promotion import promote_types
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.errors.warning import warn

# (relative, absolute) for floats; integers must be equal
TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
TRUTHS = (bool, np.bool_)
NUMBERS = (int, float, complex, np.number, np.bool_)


class Rules:
    """How exact the comparison is, and what it looks at beside the values."""

    def __init__(self, rtol: float | None, atol: float | None, equal_nan: bool, **checks: bool):
        if (rtol is None) != (atol is None):
            missing = "atol" if atol is None else "rtol"
            raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
        self.rtol, self.atol, self.equal_nan = rtol, atol, equal_nan
        self.checks = checks

    def tolerances(self, *kinds: dtypes.dtype) -> tuple[float, float]:
        """The given ones, or the loosest that the dtypes ask for."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        found = [TOLERANCES.get(kind.name, (0.0, 0.0)) for kind in kinds]
        return max(each[0] for each in found), max(each[1] for each in found)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise an AssertionError, with what differs most, unless |actual - expected| <= atol + rtol |expected| everywhere.

    Takes tensors, arrays, numbers, None, and sequences and mappings of them. The tolerances default to what the dtype
    allows; dtypes and shapes must be the same.

    >>> torch.testing.assert_close(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
    """
    rules = Rules(
        rtol,
        atol,
        equal_nan,
        device=check_device,
        dtype=check_dtype,
        stride=check_stride,
        subclasses=allow_subclasses,
    )
    found = difference(actual, expected, rules, "")
    if found is not None:
        raise AssertionError(found if msg is None else msg(found) if callable(msg) else msg)


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Old: like `assert_close`, for data of any dtype that is made tensors first."""
    warn("`torch.testing.assert_allclose()` is deprecated: use torch.testing.assert_close().", FutureWarning)
    one, two = (each if isinstance(each, Tensor) else wrap(array_from(each, None, [])) for each in (actual, expected))
    if rtol is None and atol is None:
        loose = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
        rtol, atol = max(loose.get(each.dtype.name, (0.0, 0.0)) for each in (one, two))
    assert_close(one, two, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


def difference(actual: Any, expected: Any, rules: Rules, place: str) -> str | None:
    """How two values differ, in torch's words; None if they are close."""
    if actual is None and expected is None:
        return None
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        return mapping_difference(actual, expected, rules, place)
    if is_sequence(actual) and is_sequence(expected):
        if len(actual) != len(expected):
            return at(place, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        pairs = enumerate(zip(actual, expected, strict=True))
        return first(difference(one, two, rules, f"{place}[{key}]") for key, (one, two) in pairs)
    if isinstance(actual, NUMBERS) and isinstance(expected, NUMBERS):
        if isinstance(actual, TRUTHS) and isinstance(expected, TRUTHS):
            # as in torch, without the place
            return None if actual == expected else f"Booleans mismatch: {bool(actual)} is not {bool(expected)}"
        return at(place, number_difference(actual, expected, rules))
    alike = type(actual) is type(expected) or rules.checks["subclasses"]
    for kind in (Tensor, np.ndarray):
        if isinstance(actual, kind) and isinstance(expected, kind) and alike:
            one, two = (each if isinstance(each, Tensor) else wrap(each) for each in (actual, expected))
            return at(place, tensor_difference(one, two, rules))
    raise TypeError(
        f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}. Give two tensors, "
        "two arrays or two numbers."
    )


def is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def first(differences: Any) -> str | None:
    return next((each for each in differences if each is not None), None)


def at(place: str, words: str | None) -> str | None:
    """A difference with the item it was found in."""
    return words if words is None or not place else f"{words}\n\nThe failure occurred for item {place}"


def mapping_difference(actual: Mapping, expected: Mapping, rules: Rules, place: str) -> str | None:
    missing, extra = [key for key in expected if key not in actual], [key for key in actual if key not in expected]
    if missing or extra:
        return at(
            place,
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {sorted(missing)}\n"
            f"Additional keys in the actual mapping: {sorted(extra)}",
        )
    return first(difference(actual[key], expected[key], rules, f"{place}[{key!r}]") for key in actual)


def number_difference(actual: Any, expected: Any, rules: Rules) -> str | None:
    """How two numbers differ: in kind (whole, real, complex) or in value."""
    one, two = (each.item() if isinstance(each, np.generic) else each for each in (actual, expected))
    kinds = [next(kind for kind in (int, float, complex) if isinstance(each, kind)) for each in (one, two)]
    if rules.checks["dtype"] and kinds[0] is not kinds[1]:
        return f"The (d)types do not match: {kinds[0]} != {kinds[1]}."
    return value_difference(np.asarray(actual), np.asarray(expected), rules, (actual, expected))


def tensor_difference(actual: Tensor, expected: Tensor, rules: Rules) -> str | None:
    """How two tensors differ: in shape, dtype, strides or values."""
    facts: list[tuple[str, Any, Any]] = [("shape", actual.shape, expected.shape)]
    if rules.checks["device"]:
        facts.append(("device", actual.device, expected.device))
    if rules.checks["dtype"]:
        facts.append(("dtype", actual.dtype, expected.dtype))
    if rules.checks["stride"]:
        facts.append(("stride()", actual.stride(), expected.stride()))
    for name, one, two in facts:
        if one != two:
            return f"The values for attribute '{name}' do not match: {one} != {two}."
    if actual.is_meta or expected.is_meta:
        # a tensor without memory has no values
        return None
    return value_difference(actual._array, expected._array, rules, None)


def value_difference(actual: np.ndarray, expected: np.ndarray, rules: Rules, numbers: tuple | None) -> str | None:
    """How the values of two arrays differ; `numbers` are what they were before."""
    rtol, atol = rules.tolerances(dtypes.from_numpy(actual.dtype), dtypes.from_numpy(expected.dtype))
    wide = [np.asarray(each, "complex128" if each.dtype.kind == "c" else "float64") for each in (actual, expected)]
    with np.errstate(all="ignore"):
        apart, size = np.abs(wide[0] - wide[1]), np.abs(wide[1])
        close = (wide[0] == wide[1]) | (np.isfinite(wide[1]) & (apart <= atol + rtol * size))
        if rules.equal_nan:
            close |= np.isnan(wide[0]) & np.isnan(wide[1])
        if close.all():
            return None
        relative = apart / size
    exact = not (rtol or atol)
    whole = actual.dtype.kind in "biu" and expected.dtype.kind in "biu"
    limits = ("", "") if exact else (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
    ending = "equal" if exact else "close"
    if not actual.ndim:
        given = numbers or (actual.item(), expected.item())
        return (
            f"Scalars are not {ending}!\n\nExpected {given[1]} but got {given[0]}.\n"
            f"Absolute difference: {int(apart) if whole else float(apart)}{limits[0]}\n"
            f"Relative difference: {float(relative)}{limits[1]}"
        )
    apart, relative = in_their_dtype(actual, expected)
    bad, count = int((~close).sum()), close.size
    return (
        f"Tensor-likes are not {ending}!\n\nMismatched elements: {bad} / {count} ({bad / count:.1%})\n"
        f"Greatest absolute difference: {greatest(apart, close, whole)}{limits[0]}\n"
        f"Greatest relative difference: {greatest(relative, close, False)}{limits[1]}"
    )


def in_their_dtype(actual: np.ndarray, expected: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The absolute and relative differences as torch reports them: rounded as the tensors are."""
    whole = actual.dtype.kind in "biu" and expected.dtype.kind in "biu"
    kinds = dtypes.from_numpy(actual.dtype), dtypes.from_numpy(expected.dtype)
    common = np.dtype(np.int64) if whole else promote_types(*kinds).numpy
    one, two = actual.astype(common), expected.astype(common)
    with np.errstate(all="ignore"):
        apart, size = np.abs(one - two), np.abs(two)
        if whole:
            return apart, apart.astype(np.float32) / size.astype(np.float32)
        return apart, apart / size


def greatest(values: np.ndarray, close: np.ndarray, whole: bool) -> str:
    """The largest of the values where the arrays are not close, and its index."""
    place = np.unravel_index(np.where(close, -1.0, np.nan_to_num(values, nan=np.inf)).argmax(), values.shape)
    found = values[place]
    return f"{int(found) if whole else float(found)} at index {tuple(int(each) for each in place)}"
