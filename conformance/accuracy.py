"""Accuracy: a single-precision result that differs from torch's may be right, if double precision says so."""

from dataclasses import replace
from typing import Any

import numpy as np

from conformance.calls import Arguments
from conformance.compare import TOLERANCES, Rules, compare_memories, compare_outcomes
from conformance.outcomes import Outcome, flatten
from conformance.records import NamedRecord, TensorRecord

DOUBLE = {"float32": "float64", "complex64": "complex128"}

# near a pole or a singular matrix both results are rounded noise of one size
MARGIN = 4.0


def in_double(value: Any) -> Any:
    """The same record in double precision, dtype arguments included."""
    if isinstance(value, Arguments):
        return Arguments(in_double(value.args), in_double(value.kwargs))
    if isinstance(value, TensorRecord) and value.dtype in DOUBLE:
        dtype = DOUBLE[value.dtype]
        return replace(value, memory=value.memory.astype(dtype), dtype=dtype)
    if isinstance(value, NamedRecord):
        return replace(value, name=DOUBLE.get(value.name, value.name))
    if isinstance(value, dict):
        return {key: in_double(item) for key, item in value.items()}
    if isinstance(value, list) or type(value) is tuple:
        return type(value)(in_double(item) for item in value)
    return value


def is_as_accurate(expected: Outcome, got: Outcome, exact: Outcome, rules: Rules) -> bool:
    """Whether the library lies as near to the exact result as torch does, and agrees in all but values."""
    if exact.error is not None or compare_memories(expected, got, rules):
        return False
    if compare_outcomes(expected, got, replace(rules, values=False)):
        return False
    triples = [flatten(outcome.result) for outcome in (expected, got, exact)]
    if len(triples[0]) != len(triples[2]):
        return False
    return all(is_near(*tensors) for tensors in zip(*triples, strict=True))


def is_near(expected: Any, got: Any, exact: Any) -> bool:
    if expected.shape != exact.shape:
        return False
    if expected.dtype not in DOUBLE:
        return bool(np.array_equal(expected.values, got.values))
    relative, absolute = TOLERANCES[expected.dtype]
    with np.errstate(all="ignore"):
        allowed = MARGIN * np.abs(expected.values - exact.values) + absolute + relative * np.abs(exact.values)
        near = np.abs(got.values - exact.values) <= allowed
    return bool((near | (expected.values == got.values) | np.isnan(expected.values) & np.isnan(got.values)).all())
