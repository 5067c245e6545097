"""Tags: what torch says of its functions, one word each; a custom function may be given some."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class Tag(Enum):
    """What is known of a function: `torch.Tag.inplace_view`. A number, as in torch, stands behind each."""

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19

    def __int__(self) -> int:
        return self.value

    __index__ = __int__


# functions of torch.ops.aten by what torch says of them; a name stands for its in-place form too
POINTWISE = frozenset(
    """
    __lshift__ __rshift__ __xor__ abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh bitwise_and
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp clamp_max clamp_min
    clip clone conj_physical copysign cos cosh deg2rad digamma div elu eq erf erfc erfinv exp exp2 expm1
    float_power floor fmax fmin fmod frac frexp gcd ge gelu gelu_backward gt hardshrink hardsigmoid hardtanh
    heaviside hypot i0 igamma igammac isfinite isinf isnan isneginf isposinf lcm ldexp le leaky_relu lerp lgamma
    log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logit logit_backward
    lt masked_fill maximum minimum mish mul mvlgamma nan_to_num native_dropout_backward ne neg nextafter polygamma
    positive pow rad2deg reciprocal relu relu6 remainder round rrelu rsqrt rsub selu sgn sigmoid sigmoid_backward
    sign signbit silu silu_backward sin sinc sinh softplus softshrink special_airy_ai special_bessel_j0
    special_bessel_j1 special_bessel_y0 special_bessel_y1 special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_entr
    special_erfcx special_hermite_polynomial_h special_hermite_polynomial_he special_i0e special_i1 special_i1e
    special_laguerre_polynomial_l special_legendre_polynomial_p special_log_ndtr special_modified_bessel_i0
    special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 special_ndtri
    special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 special_shifted_chebyshev_polynomial_t
    special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v
    special_shifted_chebyshev_polynomial_w special_spherical_bessel_j0 special_xlog1py special_zeta sqrt square
    sub tan tanh tanh_backward threshold threshold_backward true_divide trunc where xlogy
    """.split()
)
DRAWING = frozenset(
    """
    alpha_dropout bernoulli binomial cauchy dropout exponential feature_alpha_dropout feature_dropout geometric
    gru log_normal lstm multinomial native_dropout normal poisson rand rand_like randint randint_like randn
    randn_like random randperm rnn_relu rnn_tanh rrelu rrelu_with_noise scaled_dot_product_attention uniform
    """.split()
)
VALUES_DECIDE = {
    Tag.data_dependent_output: frozenset("allclose equal item _local_scalar_dense".split()),
    Tag.dynamic_output_shape: frozenset(
        "argwhere bincount masked_select nonzero one_hot unique_consecutive unique_dim _unique _unique2".split()
    ),
}
INPLACE_VIEWS = frozenset(
    "as_strided_ detach_ resize_ resize_as_ set_ squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_".split()
)


def aten_tags(name: str, form: str) -> list[Tag]:
    """What torch says of a form of a function of `torch.ops.aten`, but for what tells how torch is made (`core`)."""
    inplace = name.endswith("_") and not name.endswith("__")
    plain = name.removesuffix("_") if inplace else name
    found = [tag for tag, names in VALUES_DECIDE.items() if name in names]
    if "out" in form.split("_"):
        found.append(Tag.out)
    elif inplace:
        found += [Tag.inplace] if name not in INPLACE_VIEWS else [Tag.inplace, Tag.inplace_view]
    if plain in DRAWING:
        found.append(Tag.nondeterministic_seeded)
    if plain in POINTWISE:
        found.append(Tag.pointwise)
    return [*found, Tag.pt2_compliant_tag]


def given_tags(tags: Tag | Iterable[Tag] | None) -> list[Tag]:
    """Tags as a list; one stands for itself."""
    return [tags] if isinstance(tags, Tag) else list(tags or ())
