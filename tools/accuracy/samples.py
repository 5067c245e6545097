"""All the other functions: their own samples in float32, beside the same samples in float64."""

import copy
from typing import Any

import numpy as np

from tools.accuracy.functions import FUNCTIONS
from tools.accuracy.reductions import REDUCTIONS, find

FLOAT32, FLOAT64 = np.dtype("float32"), np.dtype("float64")

# Left out, by reason.
EXEMPT = {
    "draws random numbers": """
        alpha_dropout binomial dropout feature_alpha_dropout feature_dropout native_dropout nn.functional.alpha_dropout
        nn.functional.dropout nn.functional.dropout1d nn.functional.dropout2d nn.functional.dropout3d
        nn.functional.feature_alpha_dropout nn.functional.rrelu pca_lowrank poisson rrelu svd_lowrank""",
    "finds vectors up to their sign, or a phase": """
        geqrf linalg.eig linalg.eigh linalg.householder_product linalg.qr linalg.svd lobpcg orgqr ormqr qr svd""",
}
LEFT_OUT = {name for names in EXEMPT.values() for name in names.split()}

# Allowed, in units of 2**-24 of a result's largest element; what subtracts, or inverts matrices, loses more.
USUAL = 16
ALLOWED = {
    "linalg.lstsq": 100,
    "linalg.matrix_exp": 100,
    "matrix_exp": 100,
    "nn.functional.kl_div": 100,
    "nn.functional.nll_loss": 10000,
}


def others() -> list[Any]:
    """The public ops that have samples and no row of their own, in order of their names."""
    from rushlight.ops.machine.late import registry

    rows = {row.name for row in FUNCTIONS} | {row.op for row in REDUCTIONS} | LEFT_OUT
    found = [op for name, op in registry().items() if name not in rows and "._" not in f".{name}"]
    return sorted((op for op in found if op.samples is not None), key=lambda op: op.name)


def find_any(torch: Any, name: str) -> Any:
    """The function, or the method where there is none."""
    try:
        return find(torch, name)
    except AttributeError:
        return getattr(torch.Tensor, name, None)


def as_kind(torch: Any, value: Any, kind: np.dtype) -> Any:
    """The argument with tensors for arrays, float32 ones in another precision."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.astype(kind) if value.dtype == FLOAT32 else value.copy())
    if isinstance(value, (list, tuple)):
        return type(value)([as_kind(torch, each, kind) for each in value])
    return copy.copy(value)


def has_float32(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(has_float32, value))
    return isinstance(value, np.ndarray) and value.dtype == FLOAT32


def answer(torch: Any, function: Any, sample: Any, kind: np.dtype) -> list[np.ndarray] | None:
    """All tensors of the result; None where the call is refused."""
    kwargs = {name: as_kind(torch, each, kind) for name, each in sample.kwargs.items()}
    try:
        return arrays(function(*as_kind(torch, sample.args, kind), **kwargs))
    except Exception:
        return None


def arrays(result: Any) -> list[np.ndarray]:
    if isinstance(result, (list, tuple)):
        return [array for each in result for array in arrays(each)]
    return [result.detach().resolve_conj().resolve_neg().numpy()] if hasattr(result, "detach") else []


def sample_error(torch: Any, op: Any) -> float | None:
    """The largest error over the samples, to the largest element of each result; None where none is float32."""
    function, worst = find_any(torch, op.name), None
    for sample in op.samples() if function else ():
        if not has_float32((sample.args, list(sample.kwargs.values()))):
            continue
        got, exact = (answer(torch, function, sample, kind) for kind in (FLOAT32, FLOAT64))
        for one, two in zip(got, exact, strict=True) if got and exact else ():
            if one.dtype == FLOAT32 and two.dtype == FLOAT64:
                worst = max(worst or 0.0, distance(one.astype(FLOAT64), two))
    return worst


def distance(got: np.ndarray, exact: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        off = np.where((got == exact) | (np.isnan(got) & np.isnan(exact)), 0, np.abs(got - exact))
        largest = np.max(np.abs(exact), where=np.isfinite(exact), initial=0)
    return float(off.max(initial=0) / (largest or 1) * 2**24)


def sample_errors(torch: Any) -> dict[str, float]:
    """By name, the errors of the functions that have no row of their own and compute floats."""
    found = {op.name: sample_error(torch, op) for op in others()}
    return {name: error for name, error in found.items() if error is not None}
