"""Singular values: the decomposition that norms of matrices rest on."""

from __future__ import annotations

import numpy as np

from rushlight.ops.declare import op
from rushlight.ops.products import adjoint
from rushlight.ops.rules import SAME


@op(dtype=SAME, name="_svd", node="LinalgSvdBackward0", returns=("U", "S", "Vh"), samples=None)
def svd(A):
    """The reduced decomposition A = U diag(S) Vh, singular values in descending order."""
    return tuple(np.linalg.svd(A, full_matrices=False))


svd.gradient(A=lambda grads, U, S, Vh: svd_gradient(*grads, U, S, Vh))


def svd_gradient(left, values, right, U, S, Vh):
    """From the gradients of U, S and Vh; any may be None. For U and Vh singular values must differ."""
    if left is None and right is None:
        return (U * values.unsqueeze(-2)) @ Vh
    squares = S * S
    gaps = squares.unsqueeze(-2) - squares.unsqueeze(-1)
    gaps = gaps.masked_fill(gaps == 0, float("inf"))
    inner = 0 if values is None else values.diag_embed()
    if left is not None:
        turned = skew(adjoint(U) @ left)
        inner = inner + turned / gaps * S.unsqueeze(-2)
        if turned.is_complex():
            inner = inner + (turned.diagonal(0, -2, -1) / (2 * S)).diag_embed()
    if right is not None:
        inner = inner + S.unsqueeze(-1) * (skew(Vh @ adjoint(right)) / gaps)
    found = U @ inner @ Vh
    if left is not None and U.shape[-2] > S.shape[-1]:
        scaled = left / S.unsqueeze(-2)
        found = found + (scaled - U @ (adjoint(U) @ scaled)) @ Vh
    if right is not None and Vh.shape[-1] > S.shape[-1]:
        scaled = right / S.unsqueeze(-1)
        found = found + U @ (scaled - scaled @ adjoint(Vh) @ Vh)
    return found


def skew(matrix):
    return matrix - adjoint(matrix)
