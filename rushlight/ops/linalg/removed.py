"""Names that torch has removed: calling one says what took its place."""

from __future__ import annotations

from rushlight.core.object.tensor import method
from rushlight.ops.machine.bind import namespace

ADVICE = {
    "symeig": "use torch.linalg.eigh(A, UPLO='L'), or eigvalsh for the values alone; upper=True was UPLO='U'",
    "eig": "use torch.linalg.eig(A), or eigvals for the values alone; its results are complex",
    "lstsq": "use torch.linalg.lstsq(A, B), the matrix first; the residuals are a result of their own",
    "solve": "use torch.linalg.solve(A, B), the matrix first; the factors come from torch.linalg.lu_factor(A)",
    "matrix_rank": "use torch.linalg.matrix_rank(A, hermitian=...), where that was called symmetric",
}


def removed(name):
    """A function of torch's past."""

    def function(*arguments, **options):
        raise RuntimeError(
            f"This function was deprecated since version 1.9 and is now removed: torch.{name}. Instead, {ADVICE[name]}."
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Removed from torch: {ADVICE[name]}."
    return function


for each in ADVICE:
    namespace("")[each] = removed(each)
    if each != "matrix_rank":
        method(namespace("")[each])
