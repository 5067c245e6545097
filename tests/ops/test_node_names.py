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
