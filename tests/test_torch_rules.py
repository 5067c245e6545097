"""Rules of torch that stand between the parts of the library, one sentence each."""

import math
import types
import warnings

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


@pytest.mark.parametrize("decorate", [torch.inference_mode(), torch.inference_mode, torch.no_grad()])
def test_a_class_is_decorated_with_a_mode_after_a_warning(decorate):
    class Made:
        def __init__(self):
            self.value = torch.ones(1, requires_grad=True) * 2

    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):
        made = decorate(Made)
    assert not made().value.requires_grad


def test_a_tensor_made_by_a_class_in_inference_mode_is_an_inference_tensor():
    class Made:
        def __init__(self):
            self.value = torch.ones(1)

    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):
        made = torch.inference_mode()(Made)
    assert made().value.is_inference() and not torch.is_inference_mode_enabled()


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


def expanded(dtype=None):
    return torch.ones(1, 3, dtype=dtype).expand(3, 3)


WRITES = {
    "index_fill_": lambda: expanded().index_fill_(0, torch.tensor([0]), 2.0),
    "masked_fill_": lambda: expanded().masked_fill_(torch.ones(3, 3, dtype=torch.bool), 1.0),
    "index_put_": lambda: expanded().index_put_((torch.tensor([0]),), torch.ones(1, 3)),
}


@pytest.mark.parametrize("name", WRITES)
def test_an_expanded_tensor_is_filled_by_an_index_after_a_warning(name):
    with pytest.warns(UserWarning, match=f"Use of {name} on expanded tensors is deprecated"):
        WRITES[name]()


REFUSED = {
    "scatter_": lambda: expanded().scatter_(0, torch.zeros(3, 3, dtype=torch.long), 1.0),
    "scatter_add_": lambda: expanded().scatter_add_(0, torch.zeros(3, 3, dtype=torch.long), torch.ones(3, 3)),
    "bitwise_left_shift_": lambda: expanded(torch.long).bitwise_left_shift_(1),
    "<<=": lambda: expanded(torch.long).__ilshift__(1),
    "masked_scatter_": lambda: expanded().masked_scatter_(torch.ones(3, 3, dtype=torch.bool), torch.ones(9)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_write_to_an_expanded_tensor_is_refused(name):
    with pytest.raises(RuntimeError, match="unsupported operation: more than one element of the written-to tensor"):
        REFUSED[name]()


def test_threshold_writes_to_an_expanded_tensor_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert F.threshold_(torch.zeros(1).expand(3), 0.5, 2.0).tolist() == [2.0, 2.0, 2.0]


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
