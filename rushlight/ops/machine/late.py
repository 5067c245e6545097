"""Families that are loaded when one of their names is first asked for, so that `import rushlight` stays short."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import REGISTRY, Op
from rushlight.ops.machine.late_names import FUNCTIONS, METHODS
from rushlight.ops.machine.shown import ShownSignature, late_parameters

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


def registry() -> dict[str, Op]:
    """Every op, also those that are declared late."""
    load()
    return REGISTRY


@functools.cache
def load() -> None:
    """Declare all that is declared late."""
    for family in FAMILIES:
        import_module(f"rushlight.ops.{family}")


def stand_in(name: str, doc: str) -> Callable:
    """A method that loads the families, and then is what they declared."""

    def method(self: Tensor, *arguments: Any, **options: Any) -> Any:
        return declared()(self, *arguments, **options)

    def declared() -> Any:
        load()
        return getattr(Tensor, name)

    method.__name__, method.__doc__ = name, doc
    method.__signature__ = ShownSignature(declared, late_parameters)  # type: ignore[attr-defined]
    return method


__all__ = ["FAMILIES", "FUNCTIONS", "METHODS", "load", "promise", "registry"]


def promise() -> None:
    """Give Tensor the methods that are declared late; declaring them replaces these."""
    for name, doc in METHODS.items():
        setattr(Tensor, name, stand_in(name, doc))
