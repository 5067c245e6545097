"""Layers whose `forward` passes the input and some attributes on to one function: native code does so by itself.

Each row says again what the Python function does, which is called where the row does not fit: with hooks, with
other arguments, in a class that looks up its attributes itself.
"""

from __future__ import annotations

from typing import Any

from rushlight.native import extension
from rushlight.nn import functional
from rushlight.nn.modules import activation, container, dropout, flatten, linear, normalization

# a class, the name of the function in `nn.functional`, and the attributes that follow the input; one with a "!" is a
# field that the instance has only where the row does not fit
FUNCTIONS: list[tuple[Any, ...]] = [
    (linear.Linear, "linear", "weight", "bias"),
    (activation.ReLU, "relu", "inplace"),
    (activation.SiLU, "silu", "inplace"),
    (activation.ELU, "elu", "alpha", "inplace"),
    (activation.LeakyReLU, "leaky_relu", "negative_slope", "inplace"),
    (activation.Softplus, "softplus", "beta", "threshold", "!inplace"),
    (activation.Tanh, "tanh", "!inplace"),
    (activation.Sigmoid, "sigmoid", "!inplace"),
    (dropout.Dropout, "dropout", "p", "training", "inplace"),
    (normalization.LayerNorm, "layer_norm", "normalized_shape", "weight", "bias", "eps"),
]
# a class, the name of the input's method, and the attributes that it gets
METHODS: list[tuple[Any, ...]] = [
    (flatten.Flatten, "flatten", "start_dim", "end_dim"),
]


def connect() -> None:
    """Tell native code which functions it stands in for."""
    extension.connect_sequential(container.Sequential.forward)
    for layer, *names in FUNCTIONS:
        extension.connect_passing(layer.forward, functional, *names)
    for layer, *names in METHODS:
        extension.connect_passing(layer.forward, None, *names)


if extension is not None:
    connect()
