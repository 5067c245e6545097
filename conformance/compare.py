"""Comparison of frozen outcomes: says in one line how the library's differs from torch's, or nothing."""

import builtins
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.outcomes import FrozenConstant, FrozenSequence, FrozenTensor, Outcome

# relative and absolute; wider than torch.testing's, since sums run in another order
TOLERANCES = {
    "float16": (2e-3, 1e-3),
    "bfloat16": (1.6e-2, 1e-2),
    "float32": (1e-5, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex32": (2e-3, 1e-3),
    "complex64": (1e-5, 1e-5),
    "complex128": (1e-7, 1e-7),
}

# the absolute tolerance follows the largest element of a sum or product, but no further than this
LARGEST_SCALE = 1e4


@dataclass(frozen=True)
class Rules:
    """What a comparison looks at.

    `scaled`: cancellation may cost an element as much as the largest one rounds (sums and products).
    """

    values: bool = True
    aliasing: bool = True
    requires_grad: bool = False
    scaled: bool = False
    widen: float = 1.0


def compare_outcomes(expected: Outcome, got: Outcome, rules: Rules) -> str | None:
    """The first disagreement between two outcomes, exception types included."""
    if expected.error is not None:
        if got.error is None:
            return f"torch raises {explain(expected.error)}; no exception here"
        return compare_errors(expected.error, got.error)
    if got.error is not None:
        return f"raises {explain(got.error)}"
    return compare(expected.result, got.result, rules) or compare_memories(expected, got, rules)


def compare_memories(expected: Outcome, got: Outcome, rules: Rules) -> str | None:
    """Whether the call left its arguments as torch leaves them, unchanged in most cases."""
    if not rules.values:
        return None
    for number, (wanted, given) in enumerate(zip(expected.memories, got.memories, strict=True)):
        # a library without strides was given a contiguous copy: nothing to compare
        if wanted.shape != given.shape:
            continue
        reason = compare_values(wanted, given, wanted.dtype.name, rules)
        if reason:
            return f"argument {number} after the call: {reason}"
    return None


def compare_errors(expected: BaseException, got: BaseException) -> str | None:
    """Same type, or a subclass of it; torch's own exception types are known by their name."""
    kind = type(expected)
    if getattr(builtins, kind.__name__, None) is kind:
        agrees = isinstance(got, kind)
    else:
        agrees = kind.__name__.lstrip("_") in {base.__name__.lstrip("_") for base in type(got).__mro__}
    return None if agrees else f"torch raises {explain(expected)}; here {explain(got)}"


def explain(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}({text[:90]}{'...' if len(text) > 90 else ''})"


def compare(expected: Any, got: Any, rules: Rules, place: str = "") -> str | None:
    """The first disagreement between two frozen results; `place` names the element within a sequence."""
    if isinstance(expected, FrozenTensor) and isinstance(got, FrozenTensor):
        reason = compare_tensors(expected, got, rules)
        return reason and f"{place}{reason}"
    if isinstance(expected, FrozenSequence) and isinstance(got, FrozenSequence):
        return compare_sequences(expected, got, rules, place)
    if type(expected) is not type(got):
        return f"{place}torch gives {kind_of(expected)}, here {kind_of(got)}"
    if isinstance(expected, FrozenConstant):
        return None if expected == got else f"{place}torch gives {expected.text}, here {got.text}"
    if isinstance(expected, float | complex) and rules.values:
        if np.isclose(expected, got, rtol=1e-6, atol=1e-7, equal_nan=True):
            return None
        return f"{place}torch gives {expected!r}, here {got!r}"
    return None if expected == got or not rules.values else f"{place}torch gives {expected!r}, here {got!r}"


def kind_of(value: Any) -> str:
    if isinstance(value, FrozenTensor):
        return "a tensor"
    if isinstance(value, FrozenSequence):
        return f"a {value.kind}"
    return value.text if isinstance(value, FrozenConstant) else type(value).__name__


def compare_sequences(expected: FrozenSequence, got: FrozenSequence, rules: Rules, place: str) -> str | None:
    if expected.kind != got.kind:
        return f"{place}torch gives a {expected.kind}, here a {got.kind}"
    if len(expected.items) != len(got.items):
        return f"{place}torch gives {len(expected.items)} results, here {len(got.items)}"
    if expected.fields is not None and expected.fields != got.fields:
        return f"{place}field names: torch {expected.fields}, here {got.fields}"
    for number, (wanted, given) in enumerate(zip(expected.items, got.items, strict=True)):
        reason = compare(wanted, given, rules, f"{place}[{number}] ")
        if reason:
            return reason
    return None


def compare_tensors(expected: FrozenTensor, got: FrozenTensor, rules: Rules) -> str | None:
    if expected.dtype != got.dtype:
        return f"dtype: torch {expected.dtype}, here {got.dtype}"
    if expected.shape != got.shape:
        return f"shape: torch {expected.shape}, here {got.shape}"
    if rules.requires_grad and expected.requires_grad != got.requires_grad:
        return f"requires_grad: torch {expected.requires_grad}, here {got.requires_grad}"
    if rules.values:
        reason = compare_values(expected.values, got.values, expected.dtype, rules)
        if reason:
            return reason
    return compare_aliasing(expected, got) if rules.aliasing else None


def compare_aliasing(expected: FrozenTensor, got: FrozenTensor) -> str | None:
    """Whether both share memory with the same argument and, if they do, lie in it the same way."""
    # a conjugate that torch has not computed yet is a view of no memory that NumPy could show
    if expected.is_lazy and not got.is_lazy:
        return None
    if expected.owner != got.owner:
        return f"aliasing: torch {say_owner(expected.owner)}, here {say_owner(got.owner)}"
    if expected.owner is None:
        return None
    if expected.same_object != got.same_object:
        wanted = "the argument itself" if expected.same_object is not None else "a new tensor"
        return f"identity: torch returns {wanted}, unlike here"
    if steps(expected) != steps(got):
        return f"strides: torch {expected.strides}, here {got.strides}"
    if expected.offset != got.offset:
        return f"storage_offset: torch {expected.offset}, here {got.offset}"
    if expected.is_view != got.is_view:
        return f"_is_view: torch {expected.is_view}, here {got.is_view}"
    return None


def say_owner(owner: int | None) -> str:
    return "has memory of its own" if owner is None else f"shares tensor argument {owner}"


def steps(tensor: FrozenTensor) -> list[int]:
    """Strides of the dims that are walked at all; that of a dim of one element is arbitrary."""
    return [step for length, step in zip(tensor.shape, tensor.strides, strict=True) if length > 1]


def compare_values(expected: np.ndarray, got: np.ndarray, dtype: str, rules: Rules) -> str | None:
    """How many elements lie outside the tolerance of the dtype, and the worst of them."""
    if dtype not in TOLERANCES:
        wrong = np.asarray(expected != got)
        distance = wrong.astype(np.float64)
    else:
        wrong, distance = beyond_tolerance(expected, got, dtype, rules)
    if not wrong.any():
        return None
    worst = np.unravel_index(np.argmax(np.where(wrong, distance, -1)), wrong.shape)
    place = list(map(int, worst))
    wanted, given = expected[worst].item(), got[worst].item()
    return f"value: {int(wrong.sum())} of {wrong.size} differ, at {place} torch {wanted:.9g}, here {given:.9g}"


def beyond_tolerance(expected: np.ndarray, got: np.ndarray, dtype: str, rules: Rules):
    """Which elements are too far apart, and by how much; complex numbers by their distance in the plane."""
    wide = np.complex128 if np.iscomplexobj(expected) else np.float64
    wanted, given = np.asarray(expected, wide), np.asarray(got, wide)
    relative, absolute = (bound * rules.widen for bound in TOLERANCES[dtype])
    with np.errstate(all="ignore"):
        size = np.abs(wanted)
        finite = np.isfinite(wanted)
        if rules.scaled and finite.any():
            absolute *= min(max(1.0, float(size[finite].max())), LARGEST_SCALE)
        distance = np.abs(wanted - given)
        near = distance <= absolute + relative * size
        same = alike(wanted.real, given.real) & alike(wanted.imag, given.imag)
    return np.asarray(~np.where(finite, near, same)), np.nan_to_num(distance, nan=np.inf)


def alike(wanted: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Equality for elements that are not finite: NaN is like NaN, an infinity like itself."""
    return (wanted == given) | (np.isnan(wanted) & np.isnan(given))
