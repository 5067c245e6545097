"""Operations: what can be done to tensors, one file a family. What few programs use is declared late: see `late.py`."""

import importlib

from rushlight.ops import (
    activations,
    added_products,
    arithmetic,
    assignment,
    binary_losses,
    bounds,
    broadcasting,
    classification_losses,
    comparison,
    complex,
    conversion,
    copying,
    cross_entropy,
    cumulative,
    diagonals,
    division,
    dropout,
    einsum,
    embedding,
    exponential,
    filling,
    gathering,
    hyperbolic,
    indexing,
    joining,
    late,
    linear,
    logical,
    losses,
    masking,
    maxima,
    normalization,
    norms,
    placing,
    powers,
    products,
    rearranging,
    rebinding,
    rectifiers,
    reductions,
    rounding,
    sampling,
    scattering,
    searching,
    shape,
    signs,
    slicing,
    softmax,
    sorting,
    special,
    splitting,
    statistics,
    strided,
    transposing,
    trigonometric,
    where,
)

late.promise()


def __getattr__(name):
    # `torch.ops.aten`, which few programs ask for
    if name == "aten":
        return importlib.import_module("rushlight.ops.aten")
    raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
