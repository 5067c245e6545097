"""A linear map or an index is one node here and several in torch: those who follow the graph see torch's."""

import pytest

import rushlight as torch
from rushlight import nn

LEAF = "torch::autograd::AccumulateGrad"


def graph(node):
    """The names along the graph, each with what it follows."""
    if node is None:
        return None
    following = [graph(each) for each, _ in node.next_functions]
    return (node.name(), *following) if following else node.name()


@pytest.mark.parametrize(
    ("shape", "bias", "expected"),
    [
        ((2, 3), True, ("AddmmBackward0", LEAF, None, ("TBackward0", LEAF))),
        ((2, 3), False, ("MmBackward0", None, ("TBackward0", LEAF))),
        ((3,), True, ("ViewBackward0", ("AddmmBackward0", LEAF, None, ("TBackward0", LEAF)))),
        ((3,), False, ("SqueezeBackward4", ("MmBackward0", None, ("TBackward0", LEAF)))),
        ((2, 2, 3), True, ("ViewBackward0", ("AddmmBackward0", LEAF, None, ("TBackward0", LEAF)))),
        ((2, 2, 3), False, ("UnsafeViewBackward0", ("MmBackward0", None, ("TBackward0", LEAF)))),
    ],
)
def test_a_layer_shows_its_transposed_weight(shape, bias, expected):
    assert graph(nn.Linear(3, 2, bias=bias)(torch.ones(shape)).grad_fn) == expected


def test_an_input_with_history_is_seen_behind_its_view():
    layer, x = nn.Linear(3, 2), torch.ones(2, 2, 3, requires_grad=True)
    rows = ("ViewBackward0", ("MulBackward0", LEAF, None))
    assert graph(layer(x * 2).grad_fn) == ("ViewBackward0", ("AddmmBackward0", LEAF, rows, ("TBackward0", LEAF)))


def test_an_input_whose_rows_lie_apart_is_copied_first():
    layer, x = nn.Linear(3, 2), torch.ones(3, 2, 2, requires_grad=True).permute(2, 1, 0)
    copied = ("UnsafeViewBackward0", ("CloneBackward0", ("PermuteBackward0", LEAF)))
    product = ("UnsafeViewBackward0", ("MmBackward0", copied, ("TBackward0", LEAF)))
    assert graph(layer(x).grad_fn) == ("AddBackward0", product, LEAF)


def test_a_frozen_weight_has_no_steps():
    layer, x = nn.Linear(3, 2), torch.ones(2, 3, requires_grad=True)
    layer.weight.requires_grad_(False)
    assert graph(layer(x).grad_fn) == ("AddmmBackward0", LEAF, LEAF, None)


def test_a_weight_of_one_row():
    x, weight = torch.ones(2, 3), torch.ones(3, requires_grad=True)
    assert graph(nn.functional.linear(x, weight).grad_fn) == ("MvBackward0", None, ("TBackward0", LEAF))
    product = ("DotBackward0", None, ("TBackward0", LEAF))
    assert graph(nn.functional.linear(x[0], weight, torch.tensor(1.0)).grad_fn) == ("AddBackward0", product, None)


def test_steps_are_the_same_objects_at_a_second_look_and_lead_to_the_leaf():
    layer = nn.Linear(3, 2)
    node = layer(torch.ones(2, 3)).grad_fn
    step = node.next_functions[2][0]
    assert node.next_functions[2][0] is step
    assert step.next_functions[0][0].variable is layer.weight


def test_a_step_takes_no_hook_since_it_does_not_run_alone():
    step = nn.Linear(3, 2)(torch.ones(2, 3)).grad_fn.next_functions[2][0]
    for register in (step.register_hook, step.register_prehook):
        with pytest.raises(RuntimeError, match="TBackward0 runs as a part of one operation"):
            register(print)


@pytest.mark.parametrize(
    ("index", "names"),
    [
        ((None, ..., None), ["Unsqueeze", "Unsqueeze"]),
        ((0, 1), ["Select", "Select"]),
        ((slice(1, None), 0), ["Select", "Slice"]),
        ((slice(None), 0, None, slice(1, None)), ["Slice", "Unsqueeze", "Select"]),
        ((slice(None), slice(0, 3), 0), ["Select"]),
        ((slice(None), slice(None)), ["Alias"]),
    ],
)
def test_an_index_shows_a_node_for_each_entry_that_does_something(index, names):
    expected = LEAF
    for name in reversed(names):
        expected = f"{name}Backward0", expected
    x = torch.ones(3, 3, 2, requires_grad=True)
    y = x[index]
    assert graph(y.grad_fn) == expected
    y.sum().backward()
    assert graph(y.grad_fn) == expected
