"""Node names that differ from the usual ones, and ops that are recorded without a derivative."""

import pytest

import rushlight as torch
from rushlight.nn import functional


def leaf(*values):
    return torch.tensor(values or (0.5, 1.5), requires_grad=True)


@pytest.mark.parametrize(
    ("write", "name"),
    [
        (functional.leaky_relu, "LeakyReluBackward1"),
        (functional.elu, "EluBackward1"),
        (functional.selu, "EluBackward1"),
        (functional.celu, "CeluBackward1"),
        (functional.rrelu, "RreluWithNoiseBackward1"),
        (lambda x, inplace: functional.threshold(x, 1.0, 2.0, inplace), "ThresholdBackward1"),
        (lambda x, inplace: x.polygamma_(1), "PolygammaBackward1"),
        (functional.relu, "ReluBackward0"),
    ],
)
def test_in_place_forms_with_names_of_their_own(write, name):
    y = write(leaf() * 1, inplace=True)
    assert y.grad_fn.name() == name
    y.sum().backward()


@pytest.mark.parametrize("name", ["acosh", "asinh", "atanh"])
def test_in_place_forms_without_a_derivative(name):
    y = getattr(leaf(1.0, 1.0) * 1, name + "_")()
    assert y.grad_fn.name() == name.title() + "Backward1"
    with pytest.raises(NotImplementedError, match=f"the derivative for 'inplace version of {name}' is not implemented"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("copy", "name"),
    [
        (lambda x: torch.expand_copy(x, (2, 2)), "ExpandBackward0_copy"),
        (lambda x: torch.narrow_copy(x, 0, 0, 1), "NarrowCopyBackward0"),
        (lambda x: torch.slice_copy(x, 0, 0, 1), "SliceBackward0_copy"),
        (torch.alias_copy, "AliasBackward0_copy"),
        (lambda x: torch.unbind_copy(x)[1], "UnbindBackward0_copy"),
        (lambda x: torch.unsqueeze_copy(x, 0), "UnsqueezeBackward0_copy"),
    ],
)
def test_copies_of_views_are_one_node(copy, name):
    x = leaf()
    y = copy(x)
    assert y.grad_fn.name() == name and not y._is_view()
    assert y.grad_fn.next_functions[0][0].variable is x
    y.sum().backward()
    assert x.grad.sum() == y.numel()
    with torch.no_grad():
        assert not copy(x).requires_grad


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: torch.floor_divide(x, 2), "floor_divide"),
        (lambda x: torch.heaviside(x, x), "heaviside"),
        (lambda x: torch.histogram(x, 2)[0], "histogram"),
        (lambda x: torch.histogramdd(x.reshape(1, 2), 2)[0], "_histogramdd_from_bin_cts"),
        (lambda x: torch.bincount(torch.tensor([0, 1]), x), "bincount"),
        (lambda x: torch.binomial(x * 2, x / 2), "binomial"),
        (torch._sample_dirichlet, "_sample_dirichlet"),
        (lambda x: torch.linalg.ldl_factor(x.reshape(2, 1, 1))[0], "linalg_ldl_factor_ex"),
    ],
)
def test_what_is_recorded_without_a_derivative(function, name):
    y = function(leaf())
    assert y.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match=f"derivative for aten::{name} is not implemented"):
        y.sum().backward()


@pytest.mark.parametrize("function", [torch.atleast_1d, torch.atleast_2d, torch.atleast_3d])
def test_a_number_gets_its_dimensions_at_once(function):
    x = torch.tensor(1.0, requires_grad=True)
    assert function(x).grad_fn.name() == "ViewBackward0"


def rising(*shape, **options):
    return (torch.arange(1.0, 1 + torch.Size(shape).numel()).reshape(shape) / 10).requires_grad_(**options)


square, rows, stack = (3, 3), (3, 4), (2, 3, 4)


@pytest.mark.parametrize(
    ("function", "shape", "name"),
    [
        (torch.trapezoid, rows, "MulBackward1"),
        (lambda x: torch.trapezoid(x, torch.arange(4.0)), rows, "DivBackward1"),
        (lambda x: torch.cumulative_trapezoid(x, torch.arange(4.0)), rows, "DivBackward1"),
        (lambda x: torch.diff(x, n=0), rows, "torch::autograd::CopyBackwards"),
        (lambda x: torch.inner(x, x), (3,), "ViewBackward0"),
        (lambda x: torch.linalg.vecdot(x, x), (3,), "VdotBackward0"),
        (lambda x: torch.linalg.vecdot(x, x), rows, "SumBackward1"),
        (lambda x: torch.linalg.multi_dot([x, x.T]), rows, "ViewBackward0"),
        (lambda x: torch.linalg.multi_dot([x[0], x.T]), rows, "ViewBackward0"),
        (lambda x: torch.linalg.matrix_norm(x, 2, keepdim=True), rows, "PermuteBackward0"),
        (lambda x: torch.linalg.matrix_norm(x, 2), rows, "AmaxBackward0"),
        (torch.linalg.cond, square, "SqueezeBackward1"),
        (lambda x: torch.linalg.cond(x, "nuc"), square, "MulBackward0"),
        (lambda x: torch.kron(x, x), rows, "UnsafeViewBackward0"),
        (lambda x: x.sum_to_size(4), rows, "ViewBackward0"),
        (lambda x: x.sum_to_size(3, 1), rows, "SumBackward1"),
        (torch.special.round, rows, "RoundBackward1"),
        (torch.special.ndtr, rows, "MulBackward1"),
        (lambda x: torch.corrcoef(x + 0j), rows, "ComplexBackward0"),
        (lambda x: torch.masked.prod(x, mask=torch.tensor(True)), (), "WhereBackward0"),
        (lambda x: torch.quantile(x, 0.5), rows, "SqueezeBackward4"),
        (lambda x: torch.quantile(x, torch.tensor([0.5, 0.2]), dim=0), rows, "SqueezeBackward4"),
        (lambda x: x.movedim(0, 0), (), "AliasBackward0"),
        (lambda x: torch.einsum("ij->", x), rows, "SumBackward1"),
        (lambda x: torch.einsum("ij->ji", x), rows, "PermuteBackward0"),
        (torch.fft.ihfftn, rows, "FftC2CBackward0"),
        (lambda x: torch.fft.ihfftn(x, dim=(1,)), rows, "ConjBackward0"),
        (lambda x: torch.stft(x, 4, window=torch.ones(4), return_complex=True), (20,), "SqueezeBackward4"),
        (lambda x: torch.stft(x, 4, window=torch.ones(4), return_complex=True), (2, 20), "TransposeBackward1"),
        (lambda x: torch.istft(x + 0j, 4, window=torch.ones(4)), rows, "SqueezeBackward1"),
        (lambda x: torch.conv1d(x + 0j, x.detach() + 0j), stack, "AddBackward0"),
        (lambda x: torch.conv_tbc(x, torch.ones(2, 4, 1), torch.ones(1)), stack, "ConvTbcBackward0"),
        (lambda x: functional.grouped_mm(x, torch.ones(2, 4, 4)), stack, "GroupedMmBackward0"),
        (lambda x: functional.linear(x, torch.ones(5, 4), torch.ones(5)), stack, "ViewBackward0"),
        (lambda x: functional.linear(x.mT, torch.ones(5, 3), torch.ones(5)), stack, "AddBackward0"),
        (lambda x: functional.rms_norm(x, (4,)), rows, "MulBackward0"),
        (lambda x: functional.rms_norm(x.T, (3,)), rows, "CloneBackward0"),
        (lambda x: functional.rms_norm(x.half(), (4,)), rows, "ToCopyBackward0"),
        (lambda x: functional.scaled_dot_product_attention(x, x, x), rows, "MmBackward0"),
        (lambda x: functional.scaled_dot_product_attention(x, x, x), stack, "UnsafeViewBackward0"),
        (
            lambda x: functional.scaled_dot_product_attention(x, x, x),
            (1, *stack),
            "ScaledDotProductFlashAttentionForCpuBackward0",
        ),
    ],
)
def test_composed_functions_end_as_in_torch(function, shape, name):
    x = rising(*shape)
    y = function(x)
    assert y.grad_fn.name() == name
    y.abs().sum().backward()
    assert x.grad.shape == shape


def test_layers_with_the_batch_first_are_transposed_in_place():
    for layer, name in ((torch.nn.GRU, "TransposeBackward1"), (torch.nn.LSTM, "TransposeBackward0")):
        output, _ = layer(2, 3, batch_first=True)(rising(4, 5, 2))
        assert output.grad_fn.name() == name and output.shape == (4, 5, 3)


@pytest.mark.parametrize(
    ("rows", "others", "name"),
    [
        ((3, 4), (2, 4, 5), "CloneBackward0"),
        ((3, 0), (2, 0, 5), "CloneBackward0"),
        ((3, 4), (2, 2, 4, 5), "CloneBackward0"),
        ((1, 4), (2, 4, 5), "TransposeBackward0"),
        ((3, 4), (2, 4, 1), "TransposeBackward0"),
        ((3, 4), (0, 4, 5), "TransposeBackward0"),
        ((2, 3, 4), (4, 5), "UnsafeViewBackward0"),
        ((4,), (2, 4, 5), "UnsafeViewBackward0"),
    ],
)
def test_a_product_of_a_matrix_with_a_batch_is_turned_around(rows, others, name):
    found = torch.ones(rows, requires_grad=True) @ torch.ones(others)
    assert found.grad_fn.name() == name
    assert (torch.ones(3, 4) @ torch.ones(2, 4, 5, requires_grad=True)).grad_fn.name() == "UnsafeViewBackward0"


def test_an_outer_product_views_its_first_vector_as_a_column():
    behind = lambda x: torch.outer(x, torch.ones(3)).grad_fn.next_functions[0][0].name()
    assert behind(leaf()) == "ViewBackward0" and behind(leaf(1.0, 2.0, 3.0, 4.0)[::2]) == "ReshapeAliasBackward0"


@pytest.mark.parametrize("operate", [lambda x: 2 * x, lambda x: 2 + x, lambda x: x * 2, lambda x: x + 2])
def test_where_sides_do_not_matter_the_tensor_is_the_first_input_of_the_node(operate):
    x = torch.ones(2, requires_grad=True)
    first, second = operate(x).grad_fn.next_functions
    assert first[0].variable is x and second[0] is None
