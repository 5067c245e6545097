"""Dtype rules: the one word of a declaration that says what an op computes in and returns.

A rule gets the op and its arguments (arrays out of tensors, in the order of the signature), casts the
operands where needed, in place of the list, and returns the NumPy dtype of the result; None leaves
the result as the body made it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.creation.filled import does_not_hold
from rushlight.core.memory.layout import empty_like_array
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import by_float32
from rushlight.core.numbers.promotion import common, compute_dtype
from rushlight.errors.refusals import no_kernel
from rushlight.native import extension

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

ndarray = np.ndarray
INT64, BOOLEAN = np.dtype("int64"), np.dtype("bool")
# computed in themselves: the quick way through the rules
FULL = {np.dtype(name) for name in ("float32", "float64", "complex64", "complex128")}

# names of torch's kernels that are not those of the functions
KERNELS = {"digamma": "digamma", "_polygamma": "digamma", "erf": "erf_vml_cpu", "erfc": "erfc_vml_cpu"}
KERNELS |= {"special.ndtr": "erf_vml_cpu", "lgamma": "lgamma_vml_cpu"}
# whose second operand torch takes in float32 where it is one number
SCALED = {"mul", "div", "floor_divide"}
# which carry numbers from one place to another
MOVES = {"_where", "where", "masked_fill", "isnan", "fill", "clone", "contiguous"}
MOVING = ("rushlight.ops.shape.", "rushlight.ops.indexing.")
STORED_KERNELS = {"add": "add_stub", "mul": "mul_cpu_reduced_float", "mean": "sum_cpu", "exp": "exp_vml_cpu"}
STORED_KERNELS |= {
    "_max_all": "max_all",
    "_min_all": "min_all",
    "sort": "sorting_kernel_method_name",
    "relu": "clamp_min_scalar_cpu",
}
# numbers that torch refuses to round to infinity
FITTED = {"alpha", "exponent"}


def cast(op: Op, arrays: list, kind: np.dtype) -> None:
    for position in op.operands:
        value = arrays[position]
        if type(value) is ndarray:
            if value.dtype is not kind:
                if not is_usual(value):
                    arrays[position] = cast_in_order(value, kind)
                else:
                    arrays[position] = by_float32(value, kind) if value.dtype in dtypes.HALF else value.astype(kind)
        elif type(value) is list:
            arrays[position] = [each.astype(kind, copy=False) for each in value]


def is_usual(array: ndarray) -> bool:
    return 0 not in array.strides and 1 not in array.shape


def cast_in_order(array: ndarray, kind: np.dtype) -> ndarray:
    """As astype, but dimensions that repeat one element stay in their place, and those of size 1 keep their steps."""
    made = empty_like_array(array, kind)
    if extension is None or not extension.write_converted(made, array):
        made[...] = array
    return made


def narrow(op: Op, arrays: list, kind: np.dtype) -> None:
    """Round the numbers that meet half precision to it, as torch does."""
    rounds = list(op.operands)
    if op.name in SCALED and (type(last := arrays[rounds[-1]]) is not ndarray or not last.ndim):
        rounds.pop()
    if len(op.operands) == 2 and "alpha" in op.positions:
        rounds.append(op.positions["alpha"])
    for position in rounds:
        value = arrays[position]
        if type(value) in (float, int) and op.name != "mul":
            if op.names[position] in FITTED and not dtypes.fits(value, dtypes.from_numpy(kind)):
                raise does_not_hold(value, dtypes.from_numpy(kind))
            arrays[position] = float(kind.type(value))
        elif type(value) is ndarray and value.dtype is not kind:
            arrays[position] = value.astype(kind)


def watch_stored(op: Op, arrays: list) -> None:
    """Say that floats of eight bits are kept only, as torch does, where an op would compute with them."""
    kinds = [each.dtype for each in arrays if type(each) is ndarray and each.ndim]
    kind = next((each for each in kinds if each in dtypes.STORED), None)
    # a promotion has its own words
    if kind is None or op.rule is BOOL or op.name in MOVES or (op.rule is not SAME and len({*kinds}) > 1):
        return
    if op.rule is SAME and op.body.__module__.startswith(MOVING):
        return
    name = dtypes.from_numpy(kind).scalar
    kernel = STORED_KERNELS.get(op.name) or KERNELS.get(op.name, f"{op.name.rpartition('.')[2].lstrip('_')}_cpu")
    raise NotImplementedError(f"\"{kernel}\" not implemented for '{name}': convert with .float() first")


def SAME(op: Op, arrays: list) -> np.dtype | None:
    """The result is whatever the body makes of the inputs as they are."""
    if dtypes.STORED:
        watch_stored(op, arrays)
    return None


def WIDENED(op: Op, arrays: list) -> np.dtype | None:
    """Like SAME; half precision is computed with in float32, and is that of the first input again."""
    kind = arrays[0].dtype
    if kind not in dtypes.HALF:
        return SAME(op, arrays)
    cast(op, arrays, compute_dtype(kind))
    return kind


def promoted(op: Op, arrays: list) -> tuple[np.dtype, np.dtype]:
    """The dtypes to compute in and to return, after torch's promotion; nothing is cast yet."""
    operands = op.operands
    first = arrays[operands[0]]
    if type(first) is ndarray:
        kind = first.dtype
        if dtypes.STORED:
            watch_stored(op, arrays)
        if len(operands) == 1:
            return compute_dtype(kind), kind
        second = arrays[operands[1]]
        if len(operands) == 2 and type(second) is ndarray and second.dtype is kind:
            return compute_dtype(kind), kind
    return common([arrays[position] for position in operands if arrays[position] is not None])


def PROMOTE(op: Op, arrays: list) -> np.dtype:
    """Operands are brought to their common dtype, which is the result's."""
    if len(op.operands) == 2:
        first, second = op.operands
        one, two = arrays[first], arrays[second]
        if type(one) is ndarray and one.dtype in FULL:
            kind = type(two)
            if kind is float or kind is int or (kind is ndarray and two.dtype is one.dtype):
                return one.dtype
    compute, result = promoted(op, arrays)
    if compute is not result:
        narrow(op, arrays, result)
    cast(op, arrays, compute)
    return result


def FLOAT(op: Op, arrays: list) -> np.dtype:
    """Like PROMOTE, and integers become the default float dtype."""
    if len(op.operands) == 1:
        kind = arrays[op.operands[0]].dtype
        if kind in FULL:
            return kind
    compute, result = promoted(op, arrays)
    if result not in dtypes.DIFFERENTIABLE:
        result = dtypes.default.numpy
        compute = compute_dtype(result)
    if compute is not result:
        narrow(op, arrays, result)
    cast(op, arrays, compute)
    return result


def REAL_FLOAT(op: Op, arrays: list) -> np.dtype:
    """Like FLOAT, and complex numbers are refused."""
    for position in op.operands:
        value = arrays[position]
        if type(value) is complex or (type(value) is ndarray and value.dtype.kind == "c"):
            kind = dtypes.from_numpy(promoted(op, arrays)[1]).scalar
            kernel = KERNELS.get(op.name, f"{op.name.rpartition('.')[2]}_cpu")
            raise no_kernel(kernel, kind, fix="take the real part first: x.real")
    return FLOAT(op, arrays)


def BOOL(op: Op, arrays: list) -> np.dtype:
    """Operands are brought to their common dtype; the result is bool."""
    compute, common = promoted(op, arrays)
    if compute is not common:
        narrow(op, arrays, common)
    cast(op, arrays, compute)
    return BOOLEAN


def UNROUNDED(op: Op, arrays: list) -> np.dtype:
    """Like PROMOTE, but half precision is not computed in a wider dtype: the body's steps round as torch's do."""
    compute, result = promoted(op, arrays)
    if compute is not result:
        narrow(op, arrays, result)
    cast(op, arrays, result)
    return result


class DtypeMismatch(TypeError):
    """Operands of an op that does not promote have different dtypes."""


def MATCH(op: Op, arrays: list) -> np.dtype:
    """Operands must have one dtype already, which is the result's."""
    kind = None
    for position in op.operands:
        value = arrays[position]
        for each in (value,) if type(value) is ndarray else value if type(value) is list else ():
            if kind is None:
                kind = each.dtype
            elif each.dtype is not kind and each.dtype != kind:
                raise DtypeMismatch
    if kind in dtypes.HALF:
        cast(op, arrays, compute_dtype(kind))
    elif dtypes.STORED:
        watch_stored(op, arrays)
    return kind


def INDEX(op: Op, arrays: list) -> np.dtype:
    """The result holds positions: int64."""
    return INT64


def ACCUMULATE(op: Op, arrays: list) -> np.dtype:
    """Integers add up in int64; a `dtype=` option decides before anything is added."""
    position = op.positions["dtype"]
    wanted = asked(arrays[position])
    if wanted is None:
        wanted = arrays[0].dtype
        if dtypes.STORED:
            watch_stored(op, arrays)
        if wanted not in dtypes.DIFFERENTIABLE:
            wanted = INT64
    arrays[position] = compute = compute_dtype(wanted)
    cast(op, arrays, compute)
    return wanted


def AVERAGE(op: Op, arrays: list) -> np.dtype:
    """Like SAME for floats, after a `dtype=` option; the body refuses integers."""
    position = op.positions.get("dtype")
    wanted = asked(arrays[position]) if position is not None else None
    wanted = wanted or arrays[0].dtype
    if wanted in dtypes.STORED:
        watch_stored(op, arrays)
    compute = compute_dtype(wanted)
    if position is not None:
        arrays[position] = compute
    cast(op, arrays, compute)
    return wanted


def REAL(op: Op, arrays: list) -> np.dtype:
    """Like AVERAGE, and complex numbers give a real result."""
    return dtypes.from_numpy(AVERAGE(op, arrays)).to_real().numpy


def asked(option: Any) -> np.dtype | None:
    """The NumPy dtype behind a `dtype=` option."""
    if option is None:
        return None
    if not isinstance(option, dtypes.dtype):
        raise TypeError(f"dtype must be a torch.dtype, such as torch.float32, not {type(option).__name__}")
    return option.numpy
