"""Exact forms that neither NumPy nor SciPy has under a name: on float64 arrays."""

import math

import numpy as np
from scipy import special

Array = np.ndarray


def rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


def next_after(x: Array, y: Array) -> Array:
    return np.nextafter(x.astype(np.float32), y.astype(np.float32)).astype(np.float64)


def truncated(x: Array, y: Array) -> Array:
    # of the rounded quotient, as torch says
    return np.trunc((x / y).astype(np.float32)).astype(np.float64)


def elu(x: Array) -> Array:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def celu(x: Array, alpha: float) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


def selu(x: Array) -> Array:
    return 1.0507009873554804934193349852946 * np.where(x > 0, x, 1.6732632423543772848170429916717 * elu(x))


def gelu(x: Array) -> Array:
    return x * special.ndtr(x)


def gelu_tanh(x: Array) -> Array:
    # 1 + tanh(t) is 2 expit(2 t), which loses nothing below zero
    return x * special.expit(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


def silu(x: Array) -> Array:
    return x * special.expit(x)


def softplus(x: Array) -> Array:
    return np.logaddexp(0, x)


def mish(x: Array) -> Array:
    return x * np.tanh(softplus(x))


def softsign(x: Array) -> Array:
    return x / (1 + np.abs(x))


def tanhshrink(x: Array) -> Array:
    series = x**3 * (1 / 3 - 2 * x**2 / 15 + 17 * x**4 / 315 - 62 * x**6 / 2835)
    return np.where(np.abs(x) < 0.02, series, x - np.tanh(x))


def spherical_j0(x: Array) -> Array:
    return np.where(x == 0, 1, np.sin(x) / np.where(x == 0, 1, x))


def mvlgamma(x: Array) -> Array:
    return special.gammaln(x) + special.gammaln(x - 0.5) + special.gammaln(x - 1) + 1.5 * math.log(math.pi)


def chebyshev_v(x: Array) -> Array:
    return special.eval_chebyu(5, x) - special.eval_chebyu(4, x)


def chebyshev_w(x: Array) -> Array:
    return special.eval_chebyu(5, x) + special.eval_chebyu(4, x)
