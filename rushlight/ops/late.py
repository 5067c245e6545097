"""Families that are loaded when one of their names is first asked for, so that `import rushlight` stays short."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.ops.declare import REGISTRY, Op
from rushlight.ops.late_names import FUNCTIONS, METHODS
from rushlight.ops.shown import ShownSignature, late_parameters

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
