"""Parametrizations to use: orthogonal weights, weight normalization, spectral normalization."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.core.creation.filled import eye
from rushlight.core.creation.likeness import zeros_like
from rushlight.core.numbers.dtypes import finfo
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.functions import _weight_norm, norm_except_dim
from rushlight.nn import functional as F
from rushlight.nn.modules.module import Module
from rushlight.nn.utils import parametrize
from rushlight.nn.utils.spectral_norm import default_dim
from rushlight.ops.machine.bind import namespace
from rushlight.ops.random.sampling import randn
from rushlight.ops.shape.joining import cat

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]
top, linalg = namespace(""), namespace("linalg")


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


class _Orthogonal(Module):
    """A matrix with orthonormal columns, or rows if it is wide, from one without any condition."""

    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map is _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        wide = X.shape[-2] < X.shape[-1]
        tall = X.mT if wide else X
        found = reflect(tall) if self.orthogonal_map is _OrthMaps.householder else rotate(tall, self.orthogonal_map)
        if hasattr(self, "base"):
            found = self.base @ found
        return found.mT if wide else found

    def right_inverse(self, Q: Tensor) -> Tensor:
        """What gives this matrix, or the orthogonal one next to it."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        wide = Q.shape[-2] < Q.shape[-1]
        with no_grad():
            tall = Q.mT if wide else Q
            if hasattr(self, "base"):
                self.base = complete(tall)
                start = zeros_like(Q)
                start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
                return start
            if self.orthogonal_map is not _OrthMaps.householder:
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            reflectors, tau = top["geqrf"](tall)
            diagonal = reflectors.diagonal(dim1=-2, dim2=-1)
            diagonal.sign_()
            # a reflection by nothing is the identity, with which LAPACK spares itself the sign
            diagonal[tau == 0.0] *= -1
            return reflectors.mT if wide else reflectors


def rotate(X: Tensor, orthogonal_map: _OrthMaps) -> Tensor:
    """The first columns of the rotation that the lower triangle describes."""
    n, k = X.shape[-2:]
    lower = X.tril()
    if n != k:
        lower = cat([lower, lower.new_zeros(n, n - k).expand(*lower.shape[:-2], -1, -1)], -1)
    skew = lower - lower.mH
    if orthogonal_map is _OrthMaps.matrix_exp:
        found = top["matrix_exp"](skew)
    else:
        one = eye(n, dtype=skew.dtype)
        found = linalg["solve"](one.add(skew, alpha=-0.5), one.add(skew, alpha=0.5))
    return found[..., :k] if n != k else found


def reflect(X: Tensor) -> Tensor:
    """A product of Householder reflections; the diagonal holds the signs of the columns."""
    lower = X.tril(-1)
    tau = 2.0 / (1.0 + (lower * lower).sum(-2))
    return linalg["householder_product"](lower, tau) * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)


def complete(Q: Tensor) -> Tensor:
    """A square orthogonal matrix whose first columns are Q, or are next to it."""
    n, k = Q.shape[-2:]
    if n != k:
        return orthogonalized(cat([Q, randn(*Q.shape[:-2], n, n - k, dtype=Q.dtype)], -1))
    rounding: Any = finfo(Q.dtype)
    close = (Q.mH @ Q).allclose(eye(n, dtype=Q.dtype), atol=10.0 * n * rounding.eps)
    return Q.clone() if close else orthogonalized(Q)


def orthogonalized(A: Tensor) -> Tensor:
    """The orthogonal factor of a matrix, with a triangular one that has a positive diagonal."""
    reflectors, tau = top["geqrf"](A)
    found = linalg["householder_product"](reflectors, tau)
    return found * reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keep a weight orthogonal while it is learned.

    `orthogonal_map` is `"matrix_exp"`, `"cayley"` or `"householder"`.
    """
    weight = parameter_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    found = getattr(_OrthMaps, orthogonal_map, None)
    if found is None:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    made = _Orthogonal(weight, found, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)


def parameter_of(module: Module, name: str) -> Tensor:
    found = getattr(module, name, None)
    if not isinstance(found, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return found


class _WeightNorm(Module):
    """A weight as a length times a direction."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return _weight_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """The length, and the weight itself as the direction."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Learn the length of each slice of a weight apart from its direction."""
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def read_older(state_dict: dict, prefix: str, *_: Any) -> None:
        """The names under which `nn.utils.weight_norm` saves."""
        old = [f"{prefix}{name}_{part}" for part in "gv"]
        if all(key in state_dict for key in old):
            for place, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{place}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(read_older)
    return module


class _SpectralNorm(Module):
    """A weight divided by its largest singular value, which is followed with the power method."""

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            rows, columns = matrix.shape
            self.register_buffer("_u", F.normalize(matrix.new_empty(rows).normal_(0, 1), dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(matrix.new_empty(columns).normal_(0, 1), dim=0, eps=eps))
            # as in torch, so many steps at first
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        return weight.movedim(self.dim, 0).flatten(1)

    def _power_method(self, weight_mat: Tensor, n_power_iterations: int) -> None:
        with no_grad():
            for _ in range(n_power_iterations):
                self._u = F.normalize(weight_mat.mv(self._v), dim=0, eps=self.eps, out=self._u)
                self._v = F.normalize(weight_mat.H.mv(self._u), dim=0, eps=self.eps, out=self._v)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # clones: the next step writes into these, and backward needs what they are now
        u, v = self._u.clone(), self._v.clone()
        return weight / top["vdot"](u, matrix.mv(v))

    def right_inverse(self, value: Tensor) -> Tensor:
        """The weight itself."""
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Keep the largest singular value of a weight at 1."""
    weight = parameter_of(module, name)
    made = _SpectralNorm(weight, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    return parametrize.register_parametrization(module, name, made)
