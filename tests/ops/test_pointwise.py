"""Pointwise ops where samples are silent: ties, zero division, wrapping, special values, refusals.

The expected values are those of torch 2.13.0.
"""

import math
import operator

import pytest

import rushlight as torch
import rushlight.nn.functional as F

inf, nan = math.inf, math.nan


def gradient(function, *values):
    """The gradient of the sum of a function at some points, in float64."""
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    function(x).sum().backward()
    return x.grad.tolist()


def same(found, expected):
    return found == pytest.approx(expected, nan_ok=True)


def values(tensor, expected):
    return same(tensor.tolist(), expected)


class TestDivision:
    whole = torch.tensor([7, -7])

    @pytest.mark.parametrize(
        "divide",
        [
            lambda x: x // 0,
            lambda x: x % 0,
            lambda x: torch.fmod(x, 0),
            lambda x: torch.div(x, 0, rounding_mode="trunc"),
            lambda x: 5 // (x * 0),
        ],
    )
    def test_integers_are_not_divided_by_zero(self, divide):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divide(self.whole)

    def test_floats_are(self):
        x = torch.tensor([1.5, -1.5, 0.0])
        assert values(x / 0, [inf, -inf, nan])
        assert values(x // 0, [inf, -inf, nan])
        assert values(x % 0, [nan, nan, nan])
        assert values(self.whole / 0, [inf, -inf])

    def test_remainder_has_the_sign_of_the_divisor_and_fmod_of_the_dividend(self):
        assert (self.whole % 3).tolist() == [1, 2]
        assert (self.whole % -3).tolist() == [-2, -1]
        assert torch.fmod(self.whole, 3).tolist() == [1, -1]
        assert values(torch.tensor([-1.0, 5.0]) % torch.tensor([inf, -inf]), [inf, -inf])

    def test_rounding_modes(self):
        assert torch.div(self.whole, 2, rounding_mode="floor").tolist() == [3, -4]
        assert torch.div(self.whole, 2, rounding_mode="trunc").tolist() == [3, -3]
        with pytest.raises(RuntimeError, match="expected rounding_mode to be one of"):
            torch.div(self.whole, 2, rounding_mode="up")
        assert gradient(lambda x: torch.div(x, 2, rounding_mode="floor"), 1.0, 2.0) == [0, 0]

    def test_a_number_over_a_tensor_is_a_reciprocal_times_the_number(self):
        quotient = 2 / torch.ones(1, requires_grad=True)
        assert quotient.grad_fn.name() == "MulBackward0"
        assert quotient.grad_fn.next_functions[0][0].name() == "ReciprocalBackward0"

    def test_floor_division_has_no_gradient_and_says_so(self):
        quotient = torch.ones(1, requires_grad=True) // 2
        assert quotient.requires_grad
        with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
            quotient.backward()

    def test_bools_have_no_remainder(self):
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            torch.tensor([True]) % torch.tensor([True])
        with pytest.raises(NotImplementedError, match="not implemented for 'Float'"):
            torch.gcd(torch.ones(1), torch.ones(1))
        with pytest.raises(NotImplementedError, match="not implemented for 'Float'"):
            torch.lcm(torch.ones(1), torch.ones(1))


class TestWrapping:
    def test_integers_wrap_around(self):
        assert (torch.tensor([127], dtype=torch.int8) + 1).tolist() == [-128]
        assert (torch.tensor([2**62]) * 4).tolist() == [0]
        assert (torch.tensor([-128], dtype=torch.int8).abs()).tolist() == [-128]

    def test_numbers_wrap_into_the_dtype_of_the_tensor(self):
        x = torch.tensor([5, 250], dtype=torch.uint8)
        assert (x + 300).tolist() == [49, 38]
        assert (x - 6).tolist() == [255, 244]
        assert (-x).tolist() == [251, 6]
        assert (x < 300).tolist() == [True, False]
        assert (x > -1).tolist() == [False, False]
        assert (torch.tensor([44], dtype=torch.uint8) == 300).tolist() == [True]

    def test_shifts_beyond_the_width(self):
        x = torch.tensor([-1, 1], dtype=torch.int8)
        assert (x << 9).tolist() == [0, 0]
        assert (x >> 9).tolist() == [-1, 0]
        assert (torch.tensor([8]) << torch.tensor([-1])).tolist() == [0]


class TestBools:
    mask = torch.tensor([True, False])

    @pytest.mark.parametrize(
        "subtract", [lambda x: x - x, lambda x: x - 1, lambda x: 1 - x, lambda x: torch.ones(2) - x]
    )
    def test_masks_are_not_subtracted(self, subtract):
        with pytest.raises(RuntimeError, match=r"Subtraction, the `-` operator, with"):
            subtract(self.mask)

    def test_masks_have_no_sign(self):
        with pytest.raises(RuntimeError, match="Negation, the `-` operator"):
            operator.neg(self.mask)
        with pytest.raises(RuntimeError, match=r"The `\+` operator"):
            operator.pos(self.mask)
        with pytest.raises(RuntimeError, match="Boolean inputs not supported for relu"):
            torch.relu(self.mask)
        with pytest.raises(RuntimeError, match="Bool inputs not supported for hardtanh"):
            F.hardtanh(self.mask)

    def test_masks_add_up_as_or_and_multiply_as_and(self):
        assert (self.mask + self.mask).dtype is torch.bool
        assert (self.mask * self.mask.logical_not()).tolist() == [False, False]
        assert (self.mask + 1).tolist() == [2, 1]

    def test_inversion_is_for_bits(self):
        assert (~self.mask).tolist() == [False, True]
        assert (~torch.tensor([5])).tolist() == [-6]
        with pytest.raises(TypeError, match="only implemented on integer and Boolean-type tensors"):
            ~torch.ones(1)


class TestAlpha:
    def test_alpha_must_fit_the_dtype(self):
        whole, real = torch.tensor([1]), torch.ones(1)
        with pytest.raises(RuntimeError, match="For integral input tensors, argument alpha must not be a floating"):
            torch.add(whole, whole, alpha=1.5)
        with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
            torch.add(real, real, alpha=True)
        with pytest.raises(RuntimeError, match="For non-complex input tensors, argument alpha must not be a complex"):
            torch.sub(real, real, alpha=1j)

    def test_dtypes_that_are_not_promoted(self):
        x, y = torch.ones(2), torch.ones(2, dtype=torch.float64)
        with pytest.raises(RuntimeError, match="expected dtype float32 for `end`"):
            torch.lerp(x, y, 0.5)
        with pytest.raises(RuntimeError, match="expected dtype float32 for `weight`"):
            torch.lerp(x, x, y)
        with pytest.raises(RuntimeError, match="Integer division with addcdiv is no longer supported"):
            torch.addcdiv(x, torch.tensor([1, 2]), torch.tensor([1, 2]))
        with pytest.raises(RuntimeError, match="different dtypes"):
            torch.heaviside(x, y)
        with pytest.raises(RuntimeError, match="did not match"):
            torch.isclose(x, y)


class TestPower:
    def test_zero_to_the_zero_is_flat(self):
        assert gradient(lambda x: x**0, 0.0, 2.0) == [0, 0]
        assert gradient(lambda x: x ** torch.zeros(2), 0.0, 2.0) == [0, 0]
        assert values(torch.zeros(1) ** 0, [1])

    def test_gradient_of_the_exponent_at_base_zero(self):
        assert gradient(lambda x: 0**x, 0.0, 1.0, -1.0) == [0, 0, -inf]
        assert gradient(lambda x: torch.zeros(3) ** x, 0.0, 1.0, -1.0) == [0, 0, -inf]

    def test_integers_and_negative_powers(self):
        with pytest.raises(RuntimeError, match="Integers to negative integer powers are not allowed"):
            torch.tensor([2]) ** -1
        base = torch.tensor([1, -1, -1, 2])
        assert (base ** torch.tensor([-1, -1, -2, -1])).tolist() == [1, -1, 1, 0]
        assert (2 ** torch.tensor([-1, 2])).tolist() == [0, 4]

    def test_float_power_in_place_wants_doubles(self):
        with pytest.raises(RuntimeError, match="the base given to float_power_ has dtype"):
            torch.ones(1).float_power_(2)
        assert torch.full((1,), 3.0, dtype=torch.float64).float_power_(2).tolist() == [9]

    @pytest.mark.parametrize("name", ["pow", "remainder", "xlogy"])
    def test_two_numbers_are_refused(self, name):
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            getattr(torch, name)(2, 3)

    def test_nodes_are_numbered_by_what_is_a_number(self):
        x = torch.ones(2, requires_grad=True)
        found = [each.grad_fn.name() for each in (x**2, x**x, 2**x, 1 - x, torch.rsub(x, x))]
        assert found == ["PowBackward0", "PowBackward1", "PowBackward2", "RsubBackward1", "RsubBackward0"]

    def test_frexp_is_for_floats(self):
        with pytest.raises(RuntimeError, match="only supports floating-point dtypes"):
            torch.frexp(torch.tensor([1]))


class TestGradientsAtKinks:
    def test_ties_are_shared(self):
        assert gradient(lambda x: torch.maximum(x, torch.tensor(1.0)), 0.0, 1.0, nan) == [0, 0.5, 1]
        assert gradient(lambda x: torch.minimum(x, torch.tensor(1.0)), 0.0, 1.0, nan) == [1, 0.5, 1]
        assert gradient(lambda x: torch.fmax(torch.tensor(nan), x), 0.0, nan) == [1, 0]

    def test_limits_belong_to_the_inside_of_clamp_but_not_of_hardtanh(self):
        assert gradient(lambda x: x.clamp(0, 1), -1.0, 0.0, 1.0, nan) == [0, 1, 1, 0]
        assert gradient(lambda x: F.hardtanh(x, 0, 1), -1.0, 0.0, 0.5, 1.0, nan) == [0, 0, 1, 0, 1]

    def test_zero_is_flat_for_abs_and_relu(self):
        assert gradient(torch.abs, 0.0, -0.0) == [0, 0]
        assert gradient(torch.relu, 0.0, -1.0, nan) == [0, 0, 1]
        assert gradient(torch.sign, 2.0, 0.0) == [0, 0]

    def test_roots_at_zero(self):
        assert gradient(torch.sqrt, 0.0, 4.0) == [inf, 0.25]
        assert same(gradient(lambda x: torch.hypot(x, torch.zeros(1)), 0.0, 1.0), [nan, 1])
        assert gradient(lambda x: torch.atan2(x, torch.zeros(1)), 0.0, 1.0) == [0, 0]
        assert gradient(torch.sinc, 0.0) == [0]

    def test_xlogy_at_zero(self):
        assert values(torch.xlogy(torch.zeros(3), torch.tensor([0.0, -1.0, nan])), [0, 0, nan])
        assert gradient(lambda x: torch.xlogy(x, 0), 0.0) == [0]

    def test_logit_outside_its_domain(self):
        assert same(gradient(torch.logit, 0.0, 2.0), [inf, nan])
        assert gradient(lambda x: torch.logit(x, 0.1), 0.0, 1.0) == [0, 0]

    def test_the_branch_not_taken_never_makes_nan(self):
        assert gradient(lambda x: torch.where(x > 0, x, inf), 0.0, 2.0) == [0, 1]
        for activation in (F.elu, torch.selu, torch.celu, F.softplus, F.mish, F.silu):
            x = torch.tensor([1000.0, -1000.0], dtype=torch.float64, requires_grad=True)
            (slope,) = torch.autograd.grad(activation(x).sum(), x, create_graph=True)
            (curvature,) = torch.autograd.grad(slope.sum(), x)
            assert curvature.tolist() == [0, 0], activation


class TestBounds:
    def test_nan_stays_nan(self):
        assert values(torch.tensor([nan, 2.0]).clamp(0, 1), [nan, 1])
        assert values(torch.ones(1).clamp(min=nan), [nan])
        assert values(torch.maximum(torch.tensor([nan, 1.0]), torch.tensor([1.0, nan])), [nan, nan])
        assert values(torch.fmax(torch.tensor([nan, 1.0]), torch.tensor([1.0, nan])), [1, 1])

    def test_bounds_take_part_in_promotion(self):
        assert torch.tensor([5, -5]).clamp(1.5).dtype is torch.float32
        assert torch.ones(1).clamp(torch.tensor([0.0], dtype=torch.float64)).dtype is torch.float64
        with pytest.raises(RuntimeError, match="can't be cast"):
            torch.tensor([5]).clamp_(1.5)

    def test_wrong_bounds(self):
        x = torch.ones(2)
        with pytest.raises(RuntimeError, match="At least one of 'min' or 'max' must not be None"):
            x.clamp()
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            x.clamp(x, 1)
        with pytest.raises(NotImplementedError, match="clamp is not supported for complex types"):
            torch.complex(x, x).clamp(0)
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            torch.tensor([True]).clamp_min(True)
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            torch.tensor([True]).clamp(torch.tensor([True]), torch.tensor([True]))
        with pytest.raises(RuntimeError, match="not implemented for complex tensors"):
            torch.maximum(torch.complex(x, x), torch.complex(x, x))


class TestOperands:
    """Where a Python number may stand in for a tensor."""

    @pytest.mark.parametrize("name", ["maximum", "atan2", "hypot", "logical_and", "isclose", "logaddexp"])
    def test_tensors_only(self, name):
        with pytest.raises(TypeError, match="must be Tensor, not float"):
            getattr(torch, name)(torch.ones(1), 1.0)

    def test_functions_of_one_tensor_take_no_number(self):
        with pytest.raises(TypeError, match=r"exp\(\): argument 'input' \(position 1\) must be Tensor, not float"):
            torch.exp(1.0)

    def test_a_number_may_come_first(self):
        x = torch.tensor([1, 2])
        assert torch.sub(5, x).tolist() == [4, 3]
        assert torch.remainder(5, x).tolist() == [0, 1]
        assert (6 & x).tolist() == [0, 2]
        with pytest.raises(TypeError):
            torch.eq(1, x)

    def test_reflected_operators_are_methods_of_tensors(self):
        with pytest.raises(TypeError, match="is a method of Tensor"):
            torch.Tensor.__radd__(2, torch.ones(1))

    def test_comparison_with_something_else(self):
        x = torch.ones(1)
        assert (x == None) is False  # noqa: E711
        assert (x == "a") is False
        with pytest.raises(TypeError):
            operator.lt(x, None)
        with pytest.raises(TypeError):
            x + "a"

    def test_complex_numbers_have_no_order(self):
        with pytest.raises(NotImplementedError):
            operator.lt(torch.ones(1), 1j)
        for name in ("isposinf", "isneginf"):
            with pytest.raises(RuntimeError, match=f"{name} does not support complex inputs"):
                getattr(torch, name)(torch.tensor([1j]))
        with pytest.raises(NotImplementedError, match="signbit is not implemented for complex"):
            torch.signbit(torch.tensor([1j]))
        with pytest.raises(NotImplementedError, match=r"Unlike NumPy, torch.sign is not intended"):
            torch.sign(torch.tensor([1j]))
        with pytest.raises(NotImplementedError, match="floor is not supported for complex inputs"):
            torch.floor(torch.tensor([1j]))
        with pytest.raises(RuntimeError, match="heaviside is not yet implemented for complex"):
            torch.heaviside(torch.tensor([1j]), torch.tensor([1j]))

    def test_equality_of_an_integer_tensor_and_a_float(self):
        assert (torch.tensor([16777217]) == 16777216.0).tolist() == [True]
        assert torch.equal(torch.tensor([1.0]), torch.tensor([1]))
        assert not torch.equal(torch.tensor([1.0]), torch.tensor([1.0, 1.0]))
        with pytest.raises(TypeError, match="must be Tensor, not float"):
            torch.equal(torch.ones(1), 1.0)
        with pytest.raises(RuntimeError, match="rtol must be greater than or equal to zero"):
            torch.isclose(torch.ones(1), torch.ones(1), rtol=-1)
        with pytest.raises(RuntimeError, match="Unsupported input type encountered for isin"):
            torch.isin(torch.tensor([True]), torch.tensor([True]))


class TestActivations:
    @pytest.mark.parametrize(
        "name",
        ["relu", "relu6", "elu", "selu", "celu", "leaky_relu", "silu", "mish", "hardtanh", "hardswish"],
    )
    def test_inplace_gives_the_same_values_and_gradients(self, name):
        activation = getattr(F, name)
        expected = gradient(activation, -1.5, 0.5, 2.0)
        assert gradient(lambda x: activation(x * 1, inplace=True), -1.5, 0.5, 2.0) == pytest.approx(expected)
        x = torch.tensor([-1.0, 1.0])
        assert activation(x, inplace=True) is x
        assert values(x, activation(torch.tensor([-1.0, 1.0])).tolist())

    def test_relu_in_place_keeps_no_copy_of_its_input(self):
        x = torch.ones(2, requires_grad=True) * 1
        assert F.relu(x, inplace=True).grad_fn.plan.names == ["result"]

    def test_no_overflow(self):
        x = torch.tensor([1000.0, -1000.0])
        assert values(torch.sigmoid(x), [1, 0])
        assert values(F.softplus(x), [1000, 0])
        assert values(F.logsigmoid(x), [0, -1000])
        assert values(F.silu(x), [1000, 0])

    def test_refusals(self):
        whole, x = torch.tensor([1]), torch.ones(2, 3)
        for name in ("elu", "leaky_relu", "softplus", "gelu", "silu", "hardshrink", "rrelu"):
            with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
                getattr(F, name)(whole)
        with pytest.raises(NotImplementedError, match="relu is not"):
            torch.relu(torch.tensor([1j]))
        with pytest.raises(NotImplementedError, match="hardtanh is not"):
            F.hardtanh(torch.tensor([1j]))
        with pytest.raises(NotImplementedError, match="threshold_cpu"):
            F.threshold(torch.tensor([True]), 1, 2)
        with pytest.raises(RuntimeError, match="approximate argument must be either none or tanh"):
            F.gelu(x, approximate="fast")
        with pytest.raises(RuntimeError, match="alpha cannot be 0 for CELU"):
            F.celu(x, 0)
        with pytest.raises(ValueError, match="min_val cannot be greater than max_val"):
            F.hardtanh(x, 1, 0)
        with pytest.raises(RuntimeError, match="unsigned type with negative limits"):
            F.hardtanh(torch.tensor([1], dtype=torch.uint8))
        with pytest.raises(RuntimeError, match="Lower bound should be less than or equal to the upper bound"):
            F.rrelu(x, 0.5, 0.1)
        with pytest.raises(RuntimeError, match="lambda must be greater or equal to 0"):
            F.softshrink(x, -1)
        with pytest.raises(RuntimeError, match="Halving dimension must be even"):
            F.glu(x)
        with pytest.raises(RuntimeError, match="glu does not support scalars"):
            F.glu(torch.tensor(1.0))
        with pytest.raises(RuntimeError, match="Mismatch of parameter numbers and input channel size"):
            F.prelu(x, torch.ones(2))
        with pytest.raises(RuntimeError, match="to be a scalar or 1D tensor"):
            F.prelu(x, torch.ones(1, 3))
        with pytest.raises(RuntimeError, match="Type promoting not supported"):
            F.prelu(x, torch.ones(1, dtype=torch.float64))

    def test_rrelu_draws_for_negative_elements_alone(self):
        x = torch.tensor([-1.0, 2.0, -3.0, 4.0])
        torch.manual_seed(0)
        found = F.rrelu(x, 0.1, 0.3, training=True)
        assert found.tolist() == pytest.approx([-0.2940, 2.0, -0.7247, 4.0], abs=1e-4)


class TestWhere:
    def test_condition(self):
        x = torch.tensor([1.0, 2.0])
        assert torch.where(torch.tensor([1, 0], dtype=torch.uint8), x, 0).tolist() == [1, 0]
        assert x.where(torch.tensor([False, True]), 9).tolist() == [9, 2]
        assert torch.where(x > 1)[0].tolist() == [1]
        with pytest.raises(RuntimeError, match="where expected condition to be a boolean tensor"):
            torch.where(torch.tensor([1, 0]), x, x)
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            torch.where(x > 1, x)
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            torch.where(True, x, x)


class TestComplex:
    def test_parts_are_views(self):
        z = torch.tensor([1 + 2j, 3 - 1j])
        z.real.mul_(10)
        assert z.tolist() == [10 + 2j, 30 - 1j]
        z.imag = torch.zeros(2)
        assert z.tolist() == [10, 30]
        x = torch.ones(2)
        assert x.real is x and x.conj() is x
        with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex dtypes"):
            x.imag  # noqa: B018

    def test_views_as_pairs(self):
        with pytest.raises(RuntimeError, match="view_as_real is only supported for complex tensors"):
            torch.view_as_real(torch.ones(2))
        for shape, words in (((), "one or more dimensions"), ((3,), "a last dimension of size 2")):
            with pytest.raises(RuntimeError, match=words):
                torch.view_as_complex(torch.ones(shape))
        with pytest.raises(RuntimeError, match="stride 1"):
            torch.view_as_complex(torch.ones(2, 3).T)
        with pytest.raises(RuntimeError, match="divisible by 2"):
            torch.view_as_complex(torch.ones(3, 3)[:, :2])
        with pytest.raises(RuntimeError, match="only supported for half, float and double"):
            torch.view_as_complex(torch.ones(2, dtype=torch.int64))

    def test_parts_must_fit(self):
        x, y = torch.ones(2), torch.ones(2, dtype=torch.float64)
        with pytest.raises(RuntimeError, match="Expected object of scalar type"):
            torch.complex(x, y)
        with pytest.raises(RuntimeError, match="Expected both inputs to be Half, Float or Double"):
            torch.polar(torch.tensor([1]), torch.tensor([1]))
        with pytest.raises(RuntimeError, match="for argument 'out'"):
            torch.complex(x, x, out=torch.empty(2, dtype=torch.complex128))
        with pytest.raises(RuntimeError, match="In-place abs is not supported for complex"):
            torch.complex(x, x).abs_()

    def test_gradient_follows_the_conjugate(self):
        z = torch.tensor([3 + 4j], dtype=torch.complex128, requires_grad=True)
        z.abs().sum().backward()
        assert z.grad.tolist() == pytest.approx([0.6 + 0.8j])


class TestSpecial:
    def test_refusals(self):
        x = torch.ones(2)
        with pytest.raises(RuntimeError, match="does not support negative n"):
            torch.polygamma(-1, x)
        with pytest.raises(TypeError, match="must be int, not float"):
            torch.polygamma(1.5, x)
        with pytest.raises(RuntimeError, match="p has to be greater than or equal to 1"):
            torch.mvlgamma(x, 0)
        with pytest.raises(NotImplementedError, match="igamma_cpu"):
            torch.igamma(torch.tensor([1]), torch.tensor([1]))
        with pytest.raises(NotImplementedError, match="the derivative for 'igamma: input' is not implemented"):
            torch.igamma(x.requires_grad_(), torch.ones(2)).sum().backward()

    def test_values_at_the_edges(self):
        assert values(torch.erfinv(torch.tensor([1.0, 2.0, -1.0])), [inf, nan, -inf])
        assert values(torch.lgamma(torch.tensor([0.0, -1.0, inf])), [inf, inf, inf])
        assert gradient(torch.special.i1, 0.0) == [0.5]
        assert same(gradient(torch.special.entr, 0.0, 1.0, -1.0), [inf, -1, nan])

    def test_methods_have_the_tensor_first(self):
        x = torch.tensor([2.0])
        assert values(x.polygamma(1), torch.polygamma(1, x).tolist())
        assert x.polygamma_(1) is x
