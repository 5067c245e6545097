"""Bessel functions and Airy's function; SciPy computes them, and as in torch they have no gradient."""

from __future__ import annotations

import numpy as np

from rushlight.ops.machine.declare import op
from rushlight.ops.machine.rules import REAL_FLOAT
from rushlight.ops.machine.samples import unary

# name here, name in SciPy, what it is, where it is defined from, and its values at 0 and 2
FUNCTIONS = [
    ("bessel_j0", "j0", "Bessel function of the first kind and order 0", -2, "[1.0000, 0.2239]"),
    ("bessel_j1", "j1", "Bessel function of the first kind and order 1", -2, "[0.0000, 0.5767]"),
    ("bessel_y0", "y0", "Bessel function of the second kind and order 0", 0.1, "[  -inf, 0.5104]"),
    ("bessel_y1", "y1", "Bessel function of the second kind and order 1", 0.1, "[   -inf, -0.1070]"),
    ("modified_bessel_i0", "i0", "modified Bessel function of the first kind and order 0", -2, "[1.0000, 2.2796]"),
    ("modified_bessel_i1", "i1", "modified Bessel function of the first kind and order 1", -2, "[0.0000, 1.5906]"),
    ("modified_bessel_k0", "k0", "modified Bessel function of the second kind and order 0", 0.1, "[   inf, 0.1139]"),
    ("modified_bessel_k1", "k1", "modified Bessel function of the second kind and order 1", 0.1, "[   inf, 0.1399]"),
    ("scaled_modified_bessel_k0", "k0e", "function `modified_bessel_k0` times exp(x)", 0.1, "[   inf, 0.8416]"),
    ("scaled_modified_bessel_k1", "k1e", "function `modified_bessel_k1` times exp(x)", 0.1, "[   inf, 1.0335]"),
]


# from here on Airy's function is 0 in double precision
VANISHED = 120


def declare(name: str, scipy_name: str, doc: str, low: float, values: str) -> None:
    def body(input, *, out=None):
        import scipy.special

        return getattr(scipy.special, scipy_name)(input)

    body.__doc__ = f"""The {doc}, of each element.

    >>> torch.special.{name}(torch.tensor([0.0, 2.0]))
    tensor({values})
    """
    op(dtype=REAL_FLOAT, samples=unary(low=low, halves=False), name=f"special.{name}", inplace=False)(body)


for each in FUNCTIONS:
    declare(*each)


@op(dtype=REAL_FLOAT, samples=unary(halves=False), name="special.airy_ai", inplace=False)
def airy_ai(input, *, out=None):
    """Airy's function Ai, of each element.

    >>> torch.special.airy_ai(torch.tensor([-2.0, 0.0, 2.0]))
    tensor([0.2274, 0.3550, 0.0349])
    """
    from scipy.special import airy

    # far out SciPy gives NaN for what is below all numbers
    vanished = (input > VANISHED) & (input < np.inf)
    if not vanished.any():
        return airy(input)[0]
    found = np.zeros_like(input)
    found[~vanished] = airy(input[~vanished])[0]
    return found


@op(dtype=REAL_FLOAT, samples=unary(halves=False), name="special.spherical_bessel_j0", inplace=False)
def spherical_bessel_j0(input, *, out=None):
    """sin(x) / x for each element x, 1 at 0 and 0 at infinity.

    >>> torch.special.spherical_bessel_j0(torch.tensor([0.0, math.pi / 2, math.inf]))
    tensor([1.0000, 0.6366, 0.0000])
    """
    wide = input.astype(np.float64)
    return np.where(input == 0, 1, np.where(np.isinf(input), 0, np.sin(wide) / wide)).astype(input.dtype)
