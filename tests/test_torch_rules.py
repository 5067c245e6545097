"""Rules of torch that stand between the parts of the library, one sentence each."""

import math
import types

import numpy as np
import pytest

import rushlight as torch
from rushlight import fx, nn
from rushlight.autograd.gradcheck import GradcheckError
from rushlight.nn import functional as F
from rushlight.nn.modules import module
from rushlight.utils import _pytree as pytree

DOUBLE = torch.float64


# autograd


def test_gradcheck_looks_at_gradients_before_tangents():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x = torch.tensor([0.5, 0.7], dtype=DOUBLE, requires_grad=True)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0"):
        torch.autograd.gradcheck(Wrong.apply, (x,), check_forward_ad=True)


def test_gradcheck_of_batches_wants_gradients():
    x = torch.tensor([0.5], dtype=DOUBLE, requires_grad=True)
    with pytest.raises(AssertionError, match="Setting check_batched_grad=True requires check_backward_ad to be True"):
        torch.autograd.gradcheck(
            torch.sin, (x,), check_backward_ad=False, check_forward_ad=True, check_batched_grad=True
        )


@pytest.mark.parametrize("function", ["hessian", "vhp", "hvp"])
def test_strict_second_derivatives_ask_for_a_history_before_a_single_number(function):
    given = () if function == "hessian" else (torch.ones(2),)
    with pytest.raises(RuntimeError, match="Output 0 of the user-provided function does not require gradients"):
        getattr(torch.autograd.functional, function)(lambda x: torch.ones(2), torch.ones(2), *given, strict=True)


def test_a_view_made_in_inference_mode_is_refused_in_normal_mode_by_that_name():
    x = torch.ones(2, 2, requires_grad=True).clone()
    with torch.inference_mode():
        view = x[0]
    with pytest.raises(RuntimeError, match="created in inference mode and is being modified inplace in normal mode"):
        view.mul_(2)


def test_a_linear_map_of_one_vector_gives_its_result_a_gradient():
    layer, x = nn.Linear(2, 3), torch.ones(2, requires_grad=True)
    y = layer(x)
    y.sum().backward(inputs=[y])
    assert y.grad.tolist() == [1.0, 1.0, 1.0] and x.grad is None and layer.weight.grad is None


JUMPS = {
    "relu": F.relu,
    "leaky_relu": F.leaky_relu,
    "hardtanh": F.hardtanh,
    "relu6": F.relu6,
    "threshold": lambda x: F.threshold(x, 0.0, 0.0),
    "hardshrink": F.hardshrink,
    "softshrink": F.softshrink,
    "prelu": lambda x: F.prelu(x, torch.tensor([0.25])),
    "rrelu": lambda x: F.rrelu(x, training=True),
}


@pytest.mark.parametrize("name", JUMPS)
def test_the_second_derivative_of_a_slope_that_jumps_is_zero_not_absent(name):
    x = torch.tensor([1.0, -2.0, 0.25], requires_grad=True)
    given = torch.ones(3, requires_grad=True)
    (slope,) = torch.autograd.grad(JUMPS[name](x), x, given, create_graph=True)
    (second,) = torch.autograd.grad(slope.sum(), x)
    assert second.tolist() == [0.0, 0.0, 0.0] and not second.requires_grad


def test_a_gradient_penalty_gives_the_bias_before_a_relu_zeros():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    x = torch.ones(4, 2, requires_grad=True)
    (slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
    slope.pow(2).sum().backward()
    assert net[0].bias.grad.tolist() == [0.0, 0.0, 0.0] and net[2].bias.grad is None
    assert x.grad.tolist() == torch.zeros(4, 2).tolist()


# tensors and ops


@pytest.mark.parametrize("sizes", [(0,), (0, 3), (3, 0), (0, 0, 0)])
@pytest.mark.parametrize("name", ["scatter", "scatter_add", "scatter_reduce"])
def test_a_scatter_by_an_index_without_elements_of_any_rank_changes_nothing(name, sizes):
    index, source = torch.zeros(sizes, dtype=torch.long), torch.ones(sizes)
    rest = ("sum",) if name == "scatter_reduce" else ()
    for given in (source, torch.ones(3, 3)):
        found = getattr(torch.ones(3, 3), name)(1, index, given, *rest)
        assert found.tolist() == torch.ones(3, 3).tolist()


def test_a_truth_value_divided_by_a_number_is_one():
    found = torch.floor_divide(True, 2)
    assert found.dtype == torch.int64 and found.item() == 0
    with pytest.raises(NotImplementedError, match="div_floor_cpu"):
        torch.floor_divide(True, True)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.unsqueeze(0),
        lambda x: x[None],
        lambda x: x.reshape([1] * 65),
        lambda x: x.expand([1] * 65),
        lambda x: torch.stack([x]),
        lambda x: torch.ones([1] * 65),
    ],
)
def test_more_than_64_dimensions_are_refused_in_words_of_tensors(call):
    with pytest.raises(RuntimeError, match="only tensors with up to 64 dims are supported"):
        call(torch.ones([1] * 64))


def test_named_results_are_made_from_one_sequence():
    made = torch.return_types.max((1, 2))
    assert made.values == 1 and made.indices == 2 and type(made)([3, 4]).indices == 4
    with pytest.raises(TypeError, match=r"torch.return_types.max\(\) takes a 2-sequence \(1-sequence given\)"):
        torch.return_types.max((1,))
    with pytest.raises(TypeError, match="constructor requires a sequence"):
        torch.return_types.max(5)
    assert type(pytree.tree_map(str, made)) is type(made)


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ((None, 7), "index 7 is out of bounds for dimension 1 with size 2"),
        ((None, 1, None, 7), "index 7 is out of bounds for dimension 3 with size 3"),
        ((..., 7), "index 7 is out of bounds for dimension 1 with size 3"),
    ],
)
def test_a_position_out_of_bounds_counts_the_new_dimensions_before_it(index, words):
    x = torch.arange(6.0).view(2, 3)
    with pytest.raises(IndexError, match=words):
        x[index]
    with pytest.raises(IndexError, match=words):
        x[index] = 1.0


@pytest.mark.parametrize("name", ["sort", "max", "topk", "kthvalue"])
def test_out_may_be_none_where_several_results_come_back(name):
    given = {"sort": (), "max": (0,), "topk": (1,), "kthvalue": (1,)}[name]
    x = torch.tensor([[3.0, 1.0], [2.0, 4.0]])
    found, plain = getattr(torch, name)(x, *given, out=None), getattr(torch, name)(x, *given)
    assert torch.equal(found[0], plain[0]) and torch.equal(found[1], plain[1])


# nn, fx, types


def test_a_norm_pool_at_minus_infinity_is_the_smallest_of_each_window():
    x = torch.tensor([[1.0, -3.0, 2.0, 0.0, -1.0, -1.0]], requires_grad=True)
    found = F.lp_pool1d(x, -math.inf, 2)
    found.sum().backward()
    assert found.tolist() == [[1.0, 0.0, 1.0]] and x.grad.tolist() == [[1.0, 0.0, 0.0, 0.0, -1.0, 0.0]]
    assert F.lp_pool2d(torch.arange(9.0).view(1, 3, 3) + 1, -math.inf, 2, ceil_mode=True).tolist() == [[[1, 3], [7, 9]]]


def test_a_norm_pool_of_order_zero_divides_by_zero():
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        F.lp_pool2d(torch.ones(1, 2, 2), 0, 2)


def test_a_replacement_stands_before_the_first_user_of_what_it_replaces():
    class Net(nn.Module):
        def forward(self, x, y):
            first = x.neg()
            second = torch.relu(x)
            third = y.neg()
            return first + second * third + torch.relu(y)

    traced = fx.symbolic_trace(Net())
    fx.replace_pattern(traced, lambda x: torch.relu(x), lambda x: torch.sigmoid(x))
    names = [str(node) for node in traced.graph.nodes]
    assert names == ["x", "y", "neg", "neg_1", "sigmoid", "mul", "add", "sigmoid_1", "add_1", "output"]
    x = torch.tensor([0.5])
    assert torch.equal(traced(x, x), -x - torch.sigmoid(x) * x + torch.sigmoid(x))


def test_the_kind_of_global_hooks_is_listed_beside_them():
    assert "_global_is_full_backward_hook" in dir(module)


def test_kinds_of_inputs_have_names():
    assert isinstance(torch.types._TensorOrTensorsOrGradEdge, types.UnionType)


# rules that hold and had no test of their own


@pytest.mark.parametrize("make", [torch.asarray, torch.tensor, torch.as_tensor])
def test_a_scalar_of_numpy_keeps_its_dtype(make):
    kinds = ["float32", "int16", "bool", "complex64", "float16", "uint8"]
    assert [make(np.dtype(kind).type(1)).dtype for kind in kinds] == [getattr(torch, kind) for kind in kinds]


def test_a_size_may_hold_wildcards_and_multiplies_them_too():
    assert tuple(torch.Size((1, -1))) == (1, -1)
    assert torch.Size((1, -1)).numel() == -1 and torch.Size((2, -3)).numel() == -6


def test_leaves_made_in_inference_mode_may_require_grad_and_results_do_not():
    with torch.inference_mode():
        leaf = torch.ones(2, requires_grad=True)
        result = leaf * 2
    assert leaf.is_inference() and leaf.requires_grad and leaf.is_leaf
    assert result.is_inference() and not result.requires_grad and result.is_leaf


def test_anomaly_mode_warns_once_of_itself_and_once_of_the_error():
    x = torch.tensor([0.0], requires_grad=True)
    refused = pytest.raises(RuntimeError, match="returned nan values in its 0th output")
    with pytest.warns(UserWarning) as found, refused, torch.autograd.detect_anomaly():
        (x.sqrt() * 0).backward()
    begins = ["Anomaly Detection has been enabled", "Error detected in SqrtBackward0"]
    assert [str(each.message).startswith(words) for each, words in zip(found, begins, strict=True)] == [True, True]


def test_an_operator_leaves_unknown_types_to_the_other_side():
    class Other:
        __radd__ = __rmatmul__ = __rlshift__ = __rpow__ = lambda self, other: "mine"

    x = torch.ones(2)
    assert [x + Other(), x @ Other(), x << Other(), x ** Other()] == ["mine"] * 4
    assert x.__add__(object()) is NotImplemented and x.__eq__(object()) is NotImplemented


def test_sequences_of_length_zero_are_not_packed_nor_run():
    pack = nn.utils.rnn.pack_padded_sequence
    with pytest.raises(RuntimeError, match="Length of all samples has to be greater than 0"):
        pack(torch.ones(3, 2, 1), torch.tensor([3, 0]))
    with pytest.raises(RuntimeError, match="Cannot pack empty tensors"):
        pack(torch.ones(3, 0, 1), torch.zeros(0, dtype=torch.long))
    with pytest.raises(RuntimeError, match="Expected sequence length to be larger than 0 in RNN"):
        nn.LSTM(1, 2)(torch.ones(0, 2, 1))


@pytest.mark.parametrize("name", ["mm", "softmax", "addmm"])
def test_functions_of_sparse_layouts_are_refused_by_name(name):
    with pytest.raises(NotImplementedError, match=f"torch.sparse.{name} is not in Rushlight: sparse layouts"):
        getattr(torch.sparse, name)(torch.ones(2, 2), torch.ones(2, 2))


# torch's float64 means, variances and densities at 0.1, 0.5, 0.7 and 0.9
GRIDS = {
    "Kumaraswamy": (
        [0.5952381, 0.5, 0.4571429, 0.6119273],
        [0.1231553, 0.08333333, 0.04102041, 0.01760652],
        [-0.2300671, 0.0, 0.08839542, -2.222858],
    ),
    "VonMises": (
        [0.5, 1.0, 2.0, 5.0],
        [0.8038962, 0.55361, 0.1900147, 0.07446776],
        [-1.50906, -1.196209, -2.620688, -10.98914],
    ),
    "Weibull": (
        [1.661675, 1.0, 1.785959, 4.677188],
        [27.23883, 1.0, 0.4213315, 0.6175936],
        [0.2172136, -0.5, -1.737054, -9.952324],
    ),
}


@pytest.mark.parametrize("name", GRIDS)
def test_distributions_agree_over_a_grid_of_parameters(name):
    first, second = torch.tensor([[0.5, 1.0, 2.0, 5.0], [0.4, 1.0, 3.0, 7.0]], dtype=DOUBLE)
    made = getattr(torch.distributions, name)(first, second)
    found = made.mean, made.variance, made.log_prob(torch.tensor([0.1, 0.5, 0.7, 0.9], dtype=DOUBLE))
    for each, wanted in zip(found, GRIDS[name], strict=True):
        torch.testing.assert_close(each, torch.tensor(wanted, dtype=DOUBLE), rtol=1e-6, atol=1e-6)
