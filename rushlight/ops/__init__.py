"""Operations: what can be done to tensors, one file a family. What few programs use is declared late: see `late.py`."""

import importlib

from rushlight.ops.indexing import assignment, gathering, indexing, masking, placing, scattering
from rushlight.ops.losses import binary_losses, classification_losses, cross_entropy, losses
from rushlight.ops.machine import late
from rushlight.ops.normalization import normalization
from rushlight.ops.pointwise import (
    activations,
    arithmetic,
    bounds,
    comparison,
    complex,
    division,
    exponential,
    hyperbolic,
    logical,
    powers,
    rectifiers,
    rounding,
    signs,
    trigonometric,
    where,
)
from rushlight.ops.products import added_products, einsum, linear, products
from rushlight.ops.random import dropout, filling, sampling
from rushlight.ops.reductions import cumulative, maxima, norms, reductions, searching, softmax, sorting, statistics
from rushlight.ops.sequences import embedding
from rushlight.ops.shape import (
    broadcasting,
    conversion,
    copying,
    diagonals,
    joining,
    rearranging,
    rebinding,
    shape,
    slicing,
    splitting,
    strided,
    transposing,
)
from rushlight.ops.special import special

late.promise()


def __getattr__(name):
    # `torch.ops.aten` and other libraries of functions, which few programs ask for
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
    libraries = importlib.import_module("rushlight._ops")
    return libraries.load_library if name == "load_library" else libraries.library(name)
