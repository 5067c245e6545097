"""Transforms of vectors and matrices: onto the simplex, and to triangular and positive definite matrices."""

from __future__ import annotations

from typing import Any

from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributions import constraints
from rushlight.distributions.number_transforms import clipped_sigmoid, log_slope_of_tanh
from rushlight.distributions.transform import Bijection, Transform
from rushlight.distributions.utils import limits, tril_matrix_to_vec, vec_to_tril_matrix
from rushlight.nn.functional import logsigmoid
from rushlight.ops.shape.joining import cat


class SoftmaxTransform(Transform):
    """Onto the simplex by exponentials over their sum; adding a number to all of x changes nothing."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SoftmaxTransform)

    def _call(self, x: Tensor) -> Tensor:
        return x.softmax(-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Size:
        require_dims(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Bijection):
    """Onto the simplex with one more element: each takes its share of what is left of a stick of length 1."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StickBreakingTransform)

    def _call(self, x: Tensor) -> Tensor:
        share = clipped_sigmoid(x - log_of_those_left(x))
        left = (1 - share).cumprod(-1)
        return cat([share, one_more(share)], -1) * cat([one_more(left), left], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        taken = y[..., :-1]
        # rounding may leave nothing, or less
        left = (1 - taken.cumsum(-1)).clamp(min=limits(y.dtype).tiny)
        return taken.log() - left.log() + log_of_those_left(taken)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        x = x - log_of_those_left(x)
        # the share not taken is exp(-x) times the one taken
        return (logsigmoid(x) - x + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Size:
        require_dims(shape, 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Size:
        require_dims(shape, 1)
        return Size((*shape[:-1], shape[-1] - 1))


def log_of_those_left(x: Tensor) -> Tensor:
    """For each element of a row of n: the logarithm of n, n-1, ... 1; with it, zeros share the stick equally."""
    return (x.shape[-1] + 1 - x.new_ones(x.shape[-1:]).cumsum(-1)).log()


def one_more(x: Tensor) -> Tensor:
    """A one to stand beside each row."""
    return x.new_ones((*x.shape[:-1], 1))


class LowerCholeskyTransform(Transform):
    """To lower triangular matrices with a positive diagonal; what is above the diagonal of x plays no part."""

    domain = constraints.independent(constraints.real, 2)

    @constraints.dependent_property(is_discrete=False, event_dim=2)
    def codomain(self) -> Any:
        return constraints.lower_cholesky

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LowerCholeskyTransform)

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(LowerCholeskyTransform):
    """To positive definite matrices, by their Cholesky roots."""

    @constraints.dependent_property(is_discrete=False, event_dim=2)
    def codomain(self) -> Any:
        return constraints.positive_definite

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PositiveDefiniteTransform)

    def _call(self, x: Tensor) -> Tensor:
        root = super()._call(x)
        return root @ root.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return super()._inverse(y.cholesky())


class CorrCholeskyTransform(Bijection):
    """From a vector of n (n - 1) / 2 numbers to the Cholesky root of an (n, n) correlation matrix.

    The numbers fill the rows below the diagonal. The tanh of each says which part of the row's remaining length
    goes there, and the diagonal takes what is left: all rows have the length 1.
    """

    domain = constraints.real_vector

    @constraints.dependent_property(is_discrete=False, event_dim=2)
    def codomain(self) -> Any:
        return constraints.corr_cholesky

    def _call(self, x: Tensor) -> Tensor:
        nearest = 1 - limits(x.dtype).eps
        part = vec_to_tril_matrix(x.tanh().clamp(-nearest, nearest), diag=-1)
        left = (1 - part**2).sqrt().cumprod(-1)
        diagonal = part.new_ones(part.shape[-1]).diag_embed()
        return (part + diagonal) * cat([one_more(left), left[..., :-1]], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = 1 - (y * y).cumsum(-1)
        left = cat([one_more(left), left[..., :-1]], -1)
        part = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return part.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor, intermediates: Any = None) -> Tensor:
        """That of the map from x to the elements of y below the diagonal."""
        left = 1 - (y * y).cumsum(-1)
        # what is left after an element counts for the one to its right: none for the last below the diagonal
        return log_slope_of_tanh(x).sum(-1) + 0.5 * tril_matrix_to_vec(left, diag=-2).log().sum(-1)

    def forward_shape(self, shape: Any) -> Size:
        require_dims(shape, 1)
        count = shape[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Size:
        require_dims(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


def require_dims(shape: Any, count: int) -> None:
    if len(shape) < count:
        raise ValueError(f"Too few dimensions on input: {count} are needed, the shape is {tuple(shape)}")
