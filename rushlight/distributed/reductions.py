"""Reductions: the MPI operation behind each `ReduceOp`, for each dtype; those of half precision are written here."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.distributed import mpi
from rushlight.distributed.words import RedOpType, ReduceOp
from rushlight.errors.explained import explained

BITWISE = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
FOR_COMPLEX = (RedOpType.SUM, RedOpType.AVG, RedOpType.PREMUL_SUM)
MPI_NAMES = {
    RedOpType.SUM: "SUM",
    RedOpType.AVG: "SUM",  # divided at the end
    RedOpType.PRODUCT: "PROD",
    RedOpType.MIN: "MIN",
    RedOpType.MAX: "MAX",
    RedOpType.BAND: "BAND",
    RedOpType.BOR: "BOR",
    RedOpType.BXOR: "BXOR",
}
# of truth values, for which MPI has no sums
MPI_NAMES_OF_BOOL = {
    RedOpType.SUM: "LOR",
    RedOpType.MAX: "LOR",
    RedOpType.BOR: "LOR",
    RedOpType.PRODUCT: "LAND",
    RedOpType.MIN: "LAND",
    RedOpType.BAND: "LAND",
    RedOpType.BXOR: "LXOR",
}
HALF_FORMS = {
    RedOpType.SUM: np.add,
    RedOpType.AVG: np.add,
    RedOpType.PRODUCT: np.multiply,
    RedOpType.MIN: np.minimum,
    RedOpType.MAX: np.maximum,
}

# operations by (reduction, dtype), made when first asked for
known: dict[tuple[RedOpType, np.dtype], Any] = {}


def word_of(op: Any) -> RedOpType:
    """The reduction that a caller has named."""
    found = op.op if isinstance(op, ReduceOp) else op
    if not isinstance(found, RedOpType) or found is RedOpType.PREMUL_SUM:
        raise TypeError(
            "(): incompatible function arguments: op has to be one of torch.distributed.ReduceOp.SUM, AVG, PRODUCT, "
            f"MIN, MAX, BAND, BOR and BXOR, but got {op!r}"
        )
    return found


def operation(op: RedOpType, kind: np.dtype, name: str = "all_reduce") -> Any:
    """The MPI operation for elements of this dtype; raises torch's error for those that do not go together."""
    try:
        return known[op, kind]
    except KeyError:
        pass
    check(op, dtypes.from_numpy(kind), name)
    MPI = mpi.load()
    if kind.itemsize == 2 and dtypes.from_numpy(kind).is_floating_point:
        made = half_operation(op, kind)
    else:
        made = getattr(MPI, (MPI_NAMES_OF_BOOL if kind.kind == "b" else MPI_NAMES)[op])
    known[op, kind] = made
    return made


def check(op: RedOpType, kind: dtypes.dtype, name: str) -> None:
    if kind.is_complex and op not in FOR_COMPLEX:
        raise explained(
            ValueError,
            f"{name} does not support {op} on complex tensors",
            fix="reduce torch.view_as_real(tensor), or take ReduceOp.SUM or AVG",
        )
    if op in BITWISE and kind.differentiable:
        raise explained(
            RuntimeError, f"Cannot use ReduceOp.{op.name} with non-integral dtype", fix=f"{kind} has no bits to combine"
        )
    if op is RedOpType.AVG and not kind.differentiable:
        raise explained(
            RuntimeError,
            f"result type Float can't be cast to the desired output type {kind.scalar}",
            fix="average tensor.float(), or take ReduceOp.SUM and divide with //",
        )


def half_operation(op: RedOpType, kind: np.dtype) -> Any:
    """An operation on numbers of half precision, which MPI does not know: they travel as 16 bits each."""
    base = RedOpType.SUM if op is RedOpType.AVG else op
    if (base, kind) in known:
        return known[base, kind]
    form = HALF_FORMS[base]

    def combine(incoming: Any, held: Any, datatype: Any) -> None:
        target = np.frombuffer(held, kind)
        form(np.frombuffer(incoming, kind), target, out=target)

    made = known[base, kind] = mpi.load().Op.Create(combine, commute=True)
    return made


def average(array: np.ndarray, count: int) -> None:
    """Divide a sum by how many took part."""
    np.divide(array, array.dtype.type(count), out=array)
