"""Arithmetic where samples are silent: zero division, wrapping, bools, powers, kinks, bounds, operands.

The expected values are those of torch 2.13.0.
"""

import operator

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from tests.ops.pointwise import gradient, inf, nan, same, values


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
            lambda x: x // torch.tensor([1, 0]),
            lambda x: x % torch.tensor(0),
        ],
    )
    def test_integers_are_not_divided_by_zero(self, divide):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divide(self.whole)

    def test_integers_of_any_size_are_divided_exactly(self):
        sizes = [0, 1, 2, 3, 7, 2**31, 2**52 - 1, 2**52, 2**52 + 1, 2**53 + 1, 2**62 - 1, 2**63 - 1]
        numbers = [*sizes, *[-each for each in sizes if each], -(2**63)]
        # the smallest over -1 wraps around
        pairs = [(x, y) for x in numbers for y in numbers if y and (x, y) != (-(2**63), -1)]
        input, other = (torch.tensor(column) for column in zip(*pairs, strict=True))
        cut = [abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in pairs]
        assert (input // other).tolist() == [x // y for x, y in pairs]
        assert (input % other).tolist() == [x % y for x, y in pairs]
        assert torch.div(input, other, rounding_mode="trunc").tolist() == cut
        assert torch.fmod(input, other).tolist() == [x - y * whole for (x, y), whole in zip(pairs, cut, strict=True)]
        assert (input // 3).tolist() == [x // 3 for x, _ in pairs]
        assert (input % -(2**52)).tolist() == [x % -(2**52) for x, _ in pairs]

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
        with pytest.raises(RuntimeError, match="expected dtype float for `end`"):
            torch.lerp(x, y, 0.5)
        with pytest.raises(RuntimeError, match="expected dtype float for `weight`"):
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
        with pytest.raises(TypeError, match=r"is a method of Tensor|requires a '.*' object"):
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


def test_a_gradient_of_nan_stays_where_a_power_of_zero_is_flat():
    for base, exponent in ((0.0, 0.0), (0.0, 1.0)):
        power = torch.tensor([exponent], requires_grad=True)
        torch.pow(torch.tensor([base]), power).backward(torch.tensor([float("nan")]))
        assert power.grad.isnan().all()
    power = torch.tensor([2.0], requires_grad=True)
    torch.pow(torch.tensor([0.0]), power).backward(torch.ones(1))
    assert power.grad.tolist() == [0.0]


@pytest.mark.parametrize("half_nan", [complex("inf+nanj"), complex("-inf+nanj"), complex("nan+infj")])
def test_a_complex_logaddexp_of_what_is_half_a_number_is_none(half_nan):
    x, y = torch.tensor([half_nan]), torch.tensor([1 + 2j])
    for found in (torch.logaddexp(x, y), torch.logaddexp(y, x)):
        assert found.real.isnan().all() and found.imag.isnan().all()
