"""Functions of each element where samples are silent: activations, where, complex numbers, special functions.

The expected values are those of torch 2.13.0.
"""

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from tests.ops.pointwise import gradient, inf, nan, same, values


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
        with pytest.raises(RuntimeError, match="lambda must be in range"):
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
    def test_lgamma_is_inf_at_both_infinities(self):
        assert torch.lgamma(torch.tensor([-inf, inf])).tolist() == [inf, inf]

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
