"""The functions of single elements: where each is tried, its exact form, and the error that it may have."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from tools.accuracy import exact

SMALL, LARGE = 1.2e-38, 3.4e38
# where an argument's size does not matter
ALL = (-1e30, 1e30)
SIDES = (-1e18, 1e18)

Domain = tuple[float, float]


class Function(NamedTuple):
    """A function of single elements: how it is called, on which domains, the exact form, the error allowed."""

    call: str  # a name of torch, or a call of it on x, y, z
    domains: list[Domain]
    exact: Callable  # of float64 arrays
    bound: float  # in units in the last place of float32; 0.5 is a correctly rounded function, 0 one without rounding
    digits: str = ""  # in mpmath, of x and y; empty where there is no such check

    @property
    def name(self) -> str:
        return self.call.partition("(")[0]


def F(call: str, low: float, high: float, exact: Callable, bound: float, digits: str = "") -> Function:
    """A function of one tensor."""
    return Function(call, [(low, high)], exact, bound, digits)


ELEMENTARY = [
    F("exp", -100, 89, np.exp, 4, "exp(x)"),
    F("exp2", -140, 128, np.exp2, 4, "mpf(2) ** x"),
    F("expm1", -100, 89, np.expm1, 4, "expm1(x)"),
    F("log", SMALL, LARGE, np.log, 4, "log(x)"),
    F("log2", SMALL, LARGE, np.log2, 4, "log(x, 2)"),
    F("log10", SMALL, LARGE, np.log10, 2, "log10(x)"),
    F("log1p", -0.9999, LARGE, np.log1p, 4, "log1p(x)"),
    F("sqrt", SMALL, LARGE, np.sqrt, 0.5, "sqrt(x)"),
    F("rsqrt", SMALL, LARGE, exact.rsqrt, 4, "1 / sqrt(x)"),
    F("reciprocal", -LARGE, LARGE, np.reciprocal, 0.5, "1 / x"),
    F("square", -1e19, 1e19, np.square, 0.5, "x * x"),
    F("sin", -1e5, 1e5, np.sin, 4, "sin(x)"),
    F("cos", -1e5, 1e5, np.cos, 4, "cos(x)"),
    F("tan", -1e5, 1e5, np.tan, 4, "tan(x)"),
    F("asin", -1, 1, np.arcsin, 4, "asin(x)"),
    F("acos", -1, 1, np.arccos, 4, "acos(x)"),
    F("atan", -LARGE, LARGE, np.arctan, 4, "atan(x)"),
    F("sinh", -89, 89, np.sinh, 4, "sinh(x)"),
    F("cosh", -89, 89, np.cosh, 4, "cosh(x)"),
    F("tanh", -20, 20, np.tanh, 4, "tanh(x)"),
    F("asinh", -LARGE, LARGE, np.arcsinh, 4, "asinh(x)"),
    F("acosh", 1, LARGE, np.arccosh, 4, "acosh(x)"),
    F("atanh", -0.99999, 0.99999, np.arctanh, 4, "atanh(x)"),
    F("sinc", -0.5, 0.5, np.sinc, 4, "sincpi(x)"),
    F("deg2rad", -1e30, 1e30, np.deg2rad, 2, "x * pi / 180"),
    F("rad2deg", -1e30, 1e30, np.rad2deg, 2, "x * 180 / pi"),
    F("sigmoid", -88, 88, special.expit, 6, "1 / (1 + exp(-x))"),
    F("logit", 1e-30, 0.4, special.logit, 8, "log(x / (1 - x))"),
]

WITHOUT_ROUNDING = [
    F("abs", *ALL, np.abs, 0),
    F("neg", *ALL, np.negative, 0),
    F("positive", *ALL, np.positive, 0),
    F("sign", *ALL, np.sign, 0),
    F("sgn", *ALL, np.sign, 0),
    F("floor", *ALL, np.floor, 0),
    F("ceil", *ALL, np.ceil, 0),
    F("trunc", *ALL, np.trunc, 0),
    F("round", *ALL, np.rint, 0),
    F("frac", *ALL, lambda x: x - np.trunc(x), 0),
    F("nan_to_num", *ALL, np.positive, 0),
    F("clamp(x, -1, 2)", *ALL, lambda x: x.clip(-1, 2), 0),
    F("clamp_min(x, -1)", *ALL, lambda x: np.maximum(x, -1), 0),
    F("clamp_max(x, 2)", *ALL, lambda x: np.minimum(x, 2), 0),
    F("conj", *ALL, np.positive, 0),
    F("conj_physical", *ALL, np.positive, 0),
    F("real", *ALL, np.positive, 0),
    F("resolve_conj", *ALL, np.positive, 0),
    F("resolve_neg", *ALL, np.positive, 0),
    F("angle", *ALL, lambda x: np.where(x < 0, np.pi, 0), 0.5),
    Function("maximum", [ALL, ALL], np.maximum, 0),
    Function("minimum", [ALL, ALL], np.minimum, 0),
    Function("fmax", [ALL, ALL], np.fmax, 0),
    Function("fmin", [ALL, ALL], np.fmin, 0),
    Function("copysign", [ALL, ALL], np.copysign, 0),
    Function("heaviside", [ALL, ALL], np.heaviside, 0),
    Function("nextafter", [ALL, ALL], exact.next_after, 0),
    Function("ldexp(x, y.round())", [ALL, (-20, 20)], lambda x, y: x * 2 ** np.rint(y), 0),
]

ACTIVATIONS = [
    F("relu", *ALL, lambda x: np.maximum(x, 0), 0),
    F("nn.functional.relu6", *ALL, lambda x: x.clip(0, 6), 0),
    F("nn.functional.hardtanh", *ALL, lambda x: x.clip(-1, 1), 0),
    F("threshold(x, 0.5, 0.25)", *ALL, lambda x: np.where(x > 0.5, x, 0.25), 0),
    F("nn.functional.leaky_relu", *ALL, lambda x: np.where(x > 0, x, 0.01 * x), 1.5),
    F("nn.functional.elu", -80, 80, exact.elu, 6, "x if x > 0 else expm1(x)"),
    F("selu", -80, 80, exact.selu, 6),
    F("celu(x, 1.5)", -80, 80, lambda x: exact.celu(x, 1.5), 6),
    F("nn.functional.gelu", -12, 12, exact.gelu, 4, "x * ncdf(x)"),
    F("nn.functional.gelu(x, approximate='tanh')", -3, 12, exact.gelu_tanh, 20),
    F("nn.functional.silu", -85, 85, exact.silu, 6, "x / (1 + exp(-x))"),
    F("nn.functional.mish", -85, 85, exact.mish, 6, "x * tanh(log1p(exp(x)))"),
    F("nn.functional.softplus(x, threshold=1000)", -100, 100, exact.softplus, 6, "log1p(exp(x))"),
    F("nn.functional.logsigmoid", -1e4, 100, special.log_expit, 6, "-log1p(exp(-x))"),
    F("nn.functional.softsign", -LARGE / 2, LARGE / 2, exact.softsign, 4, "x / (1 + abs(x))"),
    F("nn.functional.tanhshrink", 1e-10, 20, exact.tanhshrink, 8, "x - tanh(x)"),
    F("nn.functional.hardswish", -2.5, 10, lambda x: x * (x + 3).clip(0, 6) / 6, 4),
    F("nn.functional.hardsigmoid", -2.5, 10, lambda x: (x + 3).clip(0, 6) / 6, 4),
    F("hardshrink", *ALL, lambda x: np.where(np.abs(x) <= 0.5, 0, x), 0),
    F("nn.functional.softshrink", *ALL, lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0), 0.5),
]

SPECIAL = [
    F("erf", -6, 6, special.erf, 4, "erf(x)"),
    F("erfc", -6, 9, special.erfc, 1, "erfc(x)"),
    F("erfinv", -0.99999, 0.99999, special.erfinv, 1, "erfinv(x)"),
    F("lgamma", 0.01, 1e30, special.gammaln, 1, "loggamma(x)"),
    F("mvlgamma(x, 3)", 1.01, 1e30, exact.mvlgamma, 1),
    F("digamma", 0.01, 1e30, special.digamma, 1, "digamma(x)"),
    F("polygamma(1, x)", 0.01, 1e15, lambda x: special.polygamma(1, x), 1, "polygamma(1, x)"),
    F("polygamma(4, x)", 0.01, 1e5, lambda x: special.polygamma(4, x), 2, "polygamma(4, x)"),
    F("special.entr", SMALL, 1e30, special.entr, 1, "-x * log(x)"),
    F("special.erfcx", -9, 1e30, special.erfcx, 1, "exp(x * x) * erfc(x)"),
    F("special.ndtr", -12, 8, special.ndtr, 2, "ncdf(x)"),
    F("special.ndtri", 1e-30, 0.99999, special.ndtri, 1),
    F("special.log_ndtr", -1e4, 8, special.log_ndtr, 1, "log(ncdf(x))"),
    F("i0", -80, 80, special.i0, 1, "besseli(0, x)"),
    F("special.i0e", -1e4, 1e4, special.i0e, 1, "besseli(0, x) * exp(-abs(x))"),
    F("special.i1", -80, 80, special.i1, 1, "besseli(1, x)"),
    F("special.i1e", -1e4, 1e4, special.i1e, 1, "besseli(1, x) * exp(-abs(x))"),
    F("special.bessel_j0", -50, 50, special.j0, 1, "besselj(0, x)"),
    F("special.bessel_j1", -50, 50, special.j1, 1, "besselj(1, x)"),
    F("special.bessel_y0", 1e-30, 50, special.y0, 1, "bessely(0, x)"),
    F("special.bessel_y1", 1e-30, 50, special.y1, 1, "bessely(1, x)"),
    F("special.modified_bessel_i0", -80, 80, special.i0, 1, "besseli(0, x)"),
    F("special.modified_bessel_i1", -80, 80, special.i1, 1, "besseli(1, x)"),
    F("special.modified_bessel_k0", 1e-30, 80, special.k0, 1, "besselk(0, x)"),
    F("special.modified_bessel_k1", 1e-30, 80, special.k1, 1, "besselk(1, x)"),
    F("special.scaled_modified_bessel_k0", 1e-30, 1e4, special.k0e, 1, "besselk(0, x) * exp(x)"),
    F("special.scaled_modified_bessel_k1", 1e-30, 1e4, special.k1e, 1, "besselk(1, x) * exp(x)"),
    F("special.spherical_bessel_j0", -50, 50, exact.spherical_j0, 1, "sinc(x)"),
    F("special.airy_ai", -20, 15, lambda x: special.airy(x)[0], 1, "airyai(x)"),
]

POLYNOMIALS = [
    F("special.chebyshev_polynomial_t(x, 5)", 1, 100, lambda x: special.eval_chebyt(5, x), 1),
    F("special.chebyshev_polynomial_u(x, 5)", 1, 100, lambda x: special.eval_chebyu(5, x), 1),
    F("special.chebyshev_polynomial_v(x, 5)", 1, 100, exact.chebyshev_v, 1),
    F("special.chebyshev_polynomial_w(x, 5)", 1, 100, exact.chebyshev_w, 1),
    F("special.shifted_chebyshev_polynomial_t(x, 5)", 1, 100, lambda x: special.eval_sh_chebyt(5, x), 1),
    F("special.shifted_chebyshev_polynomial_u(x, 5)", 1, 100, lambda x: special.eval_sh_chebyu(5, x), 1),
    F("special.shifted_chebyshev_polynomial_v(x, 5)", 1, 100, lambda x: exact.chebyshev_v(2 * x - 1), 1),
    F("special.shifted_chebyshev_polynomial_w(x, 5)", 1, 100, lambda x: exact.chebyshev_w(2 * x - 1), 1),
    F("special.hermite_polynomial_h(x, 5)", 3, 100, lambda x: special.eval_hermite(5, x), 1),
    F("special.hermite_polynomial_he(x, 5)", 4, 100, lambda x: special.eval_hermitenorm(5, x), 1),
    F("special.laguerre_polynomial_l(x, 5)", -100, -1, lambda x: special.eval_laguerre(5, x), 1),
    F("special.legendre_polynomial_p(x, 5)", 1, 100, lambda x: special.eval_legendre(5, x), 1),
]

PAIRS = [
    Function("add", [ALL, ALL], np.add, 0.5, "x + y"),
    Function("sub", [ALL, ALL], np.subtract, 0.5, "x - y"),
    Function("rsub", [ALL, ALL], lambda x, y: y - x, 0.5),
    Function("mul", [SIDES, SIDES], np.multiply, 0.5, "x * y"),
    Function("div", [SIDES, SIDES], np.divide, 0.5, "x / y"),
    Function("true_divide", [SIDES, SIDES], np.divide, 0.5),
    Function("div(x, y, rounding_mode='trunc')", [(-1e4, 1e4), (1e-2, 1e2)], exact.truncated, 0),
    Function("floor_divide", [(-1e4, 1e4), (1e-2, 1e2)], np.floor_divide, 0),
    Function("remainder", [(0, 1e4), (1e-2, 1e4)], np.remainder, 0),
    Function("fmod", [(-1e4, 1e4), (1e-2, 1e4)], np.fmod, 0),
    Function("pow", [(1e-5, 100), (-15, 15)], np.power, 4, "x ** y"),
    Function("atan2", [SIDES, SIDES], np.arctan2, 4, "atan2(x, y)"),
    Function("hypot", [(-1e38, 1e38), (-1e38, 1e38)], np.hypot, 1, "hypot(x, y)"),
    Function("logaddexp", [(-1e4, 1e4), (-1e4, 1e4)], np.logaddexp, 8),
    Function("logaddexp2", [(-1e4, 1e4), (-1e4, 1e4)], np.logaddexp2, 20),
    Function("xlogy", [SIDES, (SMALL, 1e18)], special.xlogy, 4, "x * log(y)"),
    Function("special.xlog1py", [SIDES, (-0.999, 1e18)], special.xlog1py, 4, "x * log1p(y)"),
    Function("special.zeta", [(1.1, 50), (0.1, 50)], special.zeta, 1),
    Function("igamma", [(0.1, 50), (0.1, 50)], special.gammainc, 1),
    Function("igammac", [(0.1, 50), (0.1, 50)], special.gammaincc, 1),
    Function("addcmul", [(0, 1e18), (0, 1e9), (0, 1e9)], lambda x, y, z: x + y * z, 2),
    Function("addcdiv", [(0, 1e9), (0, 1e9), (1e-9, 1e9)], lambda x, y, z: x + y / z, 2),
    Function("lerp", [(0, 1e9), (0, 1e9), (0, 1)], lambda x, y, z: x + z * (y - x), 2),
]

FUNCTIONS = [*ELEMENTARY, *PAIRS, *ACTIVATIONS, *SPECIAL, *POLYNOMIALS, *WITHOUT_ROUNDING]
