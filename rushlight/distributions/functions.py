"""Functions that several log-densities are made of, exact where sums of their parts would cancel."""

from __future__ import annotations

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.layouts import COMMON
from rushlight.ops.machine.rules import FLOAT


@op(dtype=FLOAT, layout=COMMON, name="_log_beta", node="SubBackward0", samples=None)
def log_beta(first, second: Tensor):
    """The logarithm of the beta function; as a difference of lgamma it loses all digits for large arguments."""
    from scipy.special import betaln

    return betaln(first, second)


log_beta.gradient(
    first=lambda grad, first, second: grad * (first.digamma() - (first + second).digamma()),
    second=lambda grad, first, second: grad * (second.digamma() - (first + second).digamma()),
)
