"""Dtypes of `out=`: which results are cast into the tensor that the caller brings, and which have to match it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.numbers.dtypes import from_numpy
from rushlight.errors.explained import RESULT, explained
from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.kinds import plain_name
from rushlight.ops.machine.rules import MATCH

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

FOUND = "Found dtype {out} but expected {result}"
EXPECTED = "Expected out tensor to have dtype {plain_result}, but got {plain_out} instead"
SCALAR_TYPE = "expected scalar_type {result} but found {out}"
DOT = "result dtype {out} does not match input dtype {result}"
SAME_TYPE = "{name}(): self and result must have the same scalar type"
BOOLEAN = "{name} does not support non-boolean outputs."
TRUTH = "{name} only supports bool tensor for result, got: {out}"
EXTREMUM = (
    "Expected the dtype for input and out to match, but got {result} for input's dtype and {out} for out's dtype."
)
SEARCH = (
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
    "whether out_int32 flag is True, but we got output tensor's dtype {out}"
)
NORM = "linalg.{name} expected out tensor dtype {result} but got: {out}"

# what has to be matched exactly, and what torch says otherwise
EXACT = {
    **dict.fromkeys(
        (
            "abs", "bitwise_not", "ceil", "clamp", "conj_physical", "floor", "frac",
            "hardshrink", "hardsigmoid", "hardtanh", "neg", "gelu", "round", "sgn", "sign", "softplus", "softshrink",
            "trunc",
        ),
        FOUND,
    ),
    **dict.fromkeys(
        (
            "argmax", "argmin", "diagonal_copy", "index_add", "index_copy", "isin", "vector_norm", "log_softmax",
            "msort", "norm", "renorm", "scatter", "scatter_add", "scatter_reduce", "slice_scatter", "softmax", "tril",
            "triu",
        ),
        EXPECTED,
    ),
    **dict.fromkeys(("cummax", "cummin", "logcumsumexp"), SCALAR_TYPE),
    **dict.fromkeys(("dot", "vdot"), DOT),
    **dict.fromkeys(("index_select", "masked_select"), SAME_TYPE),
    **dict.fromkeys(("isneginf", "isposinf", "signbit"), BOOLEAN),
    **dict.fromkeys(("all", "any"), TRUTH),
    **dict.fromkeys(("amax", "amin"), EXTREMUM),
    **dict.fromkeys(("bucketize", "searchsorted"), SEARCH),
    "float_power": "the output given to float_power has dtype {out} but the operation's result requires dtype {result}",
    "heaviside": "heaviside is not yet implemented for tensors with different dtypes.",
    "matrix_norm": NORM,
    "nan_to_num": "nan_to_num: dtype of out: {out} should be same as input: {result}",
    "nonzero": "nonzero: Expected out tensor to have scalar type {result} but got scalar type {out}",
    "rows_nonzero": "nonzero: Expected out tensor to have scalar type {result} but got scalar type {out}",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {result} and out.dtype = {out}",
    "where": "Expected out type to be {result} but got {out}",
}  # fmt: skip


def require_dtype(op: Op, result: np.ndarray, out: np.ndarray, several: bool = False, is_complex: bool = False) -> None:
    """Refuse to write a result into a tensor of a dtype that torch does not cast it to."""
    have, want = from_numpy(result.dtype), from_numpy(out.dtype)
    name = op.results_name.rpartition(".")[2].strip("_")
    words = EXACT.get(name, EXPECTED if several or op.rule is MATCH else None)
    if name == "abs" and is_complex:
        words = None  # lengths of complex numbers are cast to what they are written to
    if words == TRUTH and want.scalar == "Byte":
        return
    fix = f"pass an out= of dtype torch.{have.name}, or leave it out"
    if words is not None:
        plain = [plain_name(each) for each in (result, out)]
        words = words.format(name=name, result=have.scalar, out=want.scalar, plain_result=plain[0], plain_out=plain[1])
        raise explained(RuntimeError, words, fix=fix)
    if have.category > want.category and not is_cast_freely(name, have, want):
        words = f"can't be cast to the desired output type {want.scalar}"
        if name in ("cat", "stack"):
            raise explained(TypeError, f"torch.cat(): input types {words}", fix=fix)
        # a sum is cast to whatever it is written to, and then divided, which is refused
        kind = dtypes.default.scalar if name == "mean" else have.scalar
        raise explained(RuntimeError, f"result type {kind} {words}", fix=fix, stage=RESULT)


def is_cast_freely(name: str, have: dtypes.dtype, want: dtypes.dtype) -> bool:
    """Whether a reduction drops what its `out` cannot hold; refuses integers where torch has none, in its words."""
    if name == "nansum":
        if have.is_floating_point:
            raise no_kernel("nansum_cpu", want.scalar)
        return True
    if name == "logsumexp":
        if not want.is_floating_point:
            words = f"logsumexp(): Expected floating point type for result tensor, but got: {want.scalar}"
            raise explained(RuntimeError, words, fix=f"pass an out= of dtype torch.{have.name}, or leave it out")
        return True
    return False
