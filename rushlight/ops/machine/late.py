"""Families that are loaded when one of their names is first asked for, so that `import rushlight` stays short."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.ops.machine.declare import REGISTRY, Op

FAMILIES = (
    "sequences.attention",
    "sequences.bags",
    "normalization.batch_norms",
    "special.bessel",
    "products.bilinear",
    "products.contractions",
    "images.convolutions",
    "sequences.ctc",
    "reductions.differences",
    "products.distances",
    "random.dropping",
    "shape.fitting",
    "machine.foreach",
    "fourier",
    "normalization.group_norms",
    "products.grouped",
    "reductions.hashing",
    "reductions.histograms",
    "losses.likelihood_losses",
    "linalg",
    "losses.linear_cross_entropy",
    "losses.margin_losses",
    "masked",
    "normalization.native_layers",
    "images.padding",
    "special.polynomials",
    "images.pooling",
    "indexing.positions",
    "reductions.quantiles",
    "sequences.recurrent",
    "images.resampling",
    "indexing.scattered_reductions",
    "reductions.segments",
    "shape.shuffling",
    "products.similarity",
    "reductions.slopes",
    "images.unfolding",
    "reductions.uniqueness",
    "shape.unsafe_splitting",
    "random.variates",
    "shape.view_copies",
    "normalization.weight_norms",
    "windows",
)
# The methods of Tensor among them, in-place forms too: tests/ops/test_late.py tells what belongs here.
METHODS = """
bincount cholesky cholesky_inverse cholesky_solve cross det diff eig geqrf hash_tensor histc histogram
index_reduce index_reduce_ inner inverse istft kron logdet lstsq lu lu_solve matrix_exp matrix_power median
mode nanmedian nanquantile narrow_copy nonzero_static orgqr ormqr pinverse qr quantile scatter_reduce
scatter_reduce_ slogdet solve stft sum_to_size svd symeig triangular_solve unique unique_consecutive
unsafe_chunk unsafe_split unsafe_split_with_sizes
"""


def registry() -> dict[str, Op]:
    """Every op, also those that are declared late."""
    load()
    return REGISTRY


def load() -> None:
    """Declare all that is declared late."""
    for family in FAMILIES:
        import_module(f"rushlight.ops.{family}")


def stand_in(name: str) -> Callable:
    """A method that loads the families, and then is what they declared."""

    def method(self: Tensor, *arguments: Any, **options: Any) -> Any:
        load()
        return getattr(self, name)(*arguments, **options)

    method.__name__ = name
    return method


def promise() -> None:
    """Give Tensor the methods that are declared late; declaring them replaces these."""
    for name in METHODS.split():
        setattr(Tensor, name, stand_in(name))
