"""Families that are loaded when one of their names is first asked for, so that `import rushlight` stays short."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.ops.declare import REGISTRY, Op

FAMILIES = (
    "attention",
    "bags",
    "batch_norms",
    "bessel",
    "bilinear",
    "contractions",
    "convolutions",
    "ctc",
    "differences",
    "distances",
    "dropping",
    "fitting",
    "foreach",
    "fourier",
    "group_norms",
    "grouped",
    "hashing",
    "histograms",
    "likelihood_losses",
    "linalg",
    "linear_cross_entropy",
    "margin_losses",
    "masked",
    "native_layers",
    "padding",
    "polynomials",
    "pooling",
    "positions",
    "quantiles",
    "recurrent",
    "resampling",
    "scattered_reductions",
    "segments",
    "shuffling",
    "similarity",
    "slopes",
    "unfolding",
    "uniqueness",
    "unsafe_splitting",
    "variates",
    "view_copies",
    "weight_norms",
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
