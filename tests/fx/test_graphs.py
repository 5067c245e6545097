"""Graphs: nodes are put in, taken out, replaced, checked and run."""

import operator

import pytest

import rushlight as torch
from rushlight import fx
from rushlight.fx.passes.shape_prop import ShapeProp


def small():
    graph = fx.Graph()
    x = graph.placeholder("x")
    relu = graph.call_function(torch.relu, (x,))
    graph.output(graph.call_method("neg", (relu,)))
    return graph, x, relu


def test_a_graph_by_hand():
    graph, x, relu = small()
    graph.lint()
    module = fx.GraphModule({}, graph)
    assert module(torch.tensor([-1.0, 2.0])).tolist() == [0, -2]
    assert relu.all_input_nodes == [x]
    assert list(x.users) == [relu]
    assert [node.name for node in reversed(graph.nodes)] == ["output", "neg", "relu", "x"]
    assert len(graph.nodes) == 4
    assert graph.find_nodes(op="call_function", target=torch.relu) == [relu]


def test_nodes_are_inserted_and_replaced():
    graph, _, relu = small()
    with graph.inserting_after(relu):
        new = graph.call_function(torch.sigmoid, (relu,))
    relu.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    assert fx.GraphModule({}, graph)(torch.zeros(1)).item() == -0.5
    new.target = torch.exp
    with graph.inserting_before(new):
        graph.call_function(operator.add, (relu, 1))
    assert [node.name for node in graph.nodes] == ["x", "relu", "add", "sigmoid", "neg", "output"]
    assert graph.eliminate_dead_code()
    assert [node.name for node in graph.nodes] == ["x", "relu", "sigmoid", "neg", "output"]


def test_what_is_used_is_not_erased():
    graph, _, relu = small()
    with pytest.raises(RuntimeError, match="Tried to erase Node relu but it still had 1 users in the graph"):
        graph.erase_node(relu)


def test_lint_finds_what_is_wrong():
    graph, _, _ = small()
    foreign = fx.Graph().placeholder("y")
    graph.call_function(torch.relu, (foreign,))
    with pytest.raises(RuntimeError, match="does not belong to this Graph"):
        graph.lint()
    graph, x, relu = small()
    x.args = ()
    relu.append(x)
    with pytest.raises(RuntimeError, match="was used before it has been defined"):
        graph.lint()
    with pytest.raises(AssertionError, match="op 'foo' is not in _legal_ops"):
        graph.create_node("foo", "bar")


def test_arguments_do_not_change_in_place():
    graph, x, _ = small()
    node = graph.call_function(torch.stack, ([x, x],))
    with pytest.raises(NotImplementedError, match="does not support mutation"):
        node.args[0].append(x)
    node.update_kwarg("dim", 1)
    assert node.kwargs == {"dim": 1}


def test_names_are_free_ones():
    graph = fx.Graph()
    names = [graph.placeholder(each).name for each in ("x", "x", "sum", "class", "0", "a.b")]
    assert names == ["x", "x_1", "sum_1", "class_1", "_0", "a_b"]


def test_patterns_are_replaced():
    traced = fx.symbolic_trace(lambda x: torch.relu(x + 1) + torch.relu(x + 2))
    found = fx.replace_pattern(traced, lambda a, b: torch.relu(a + b), lambda a, b: torch.sigmoid(a * b))
    assert len(found) == 2
    assert traced(torch.zeros(1)).item() == 1
    assert "relu" not in traced.code


def test_an_interpreter_runs_node_by_node():
    class Doubling(fx.Interpreter):
        def call_function(self, target, args, kwargs):
            return 2 * super().call_function(target, args, kwargs)

    traced = fx.symbolic_trace(lambda x, y=1: torch.relu(x) + y)
    assert fx.Interpreter(traced).run(torch.ones(1)).item() == 2
    assert Doubling(traced).run(torch.ones(1)).item() == 6
    with pytest.raises(IndexError, match="While executing %sum_1"):
        fx.Interpreter(fx.symbolic_trace(lambda x: x.sum(7))).run(torch.ones(1))


def test_a_transformer_makes_another_graph():
    class Swapped(fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(torch.sigmoid if target is torch.relu else target, args, kwargs)

    traced = fx.symbolic_trace(lambda x: torch.relu(x).neg())
    assert Swapped(traced).transform()(torch.zeros(1)).item() == -0.5


def test_shapes_are_noted():
    traced = fx.symbolic_trace(lambda x: torch.relu(x).sum(0))
    ShapeProp(traced).propagate(torch.ones(2, 3))
    assert [tuple(node.meta["tensor_meta"].shape) for node in traced.graph.nodes] == [(2, 3), (2, 3), (3,), (3,)]


def test_a_table_is_printed(capsys):
    small()[0].print_tabular()
    assert capsys.readouterr().out.split("\n")[0].split() == ["opcode", "name", "target", "args", "kwargs"]


def test_a_copy_of_a_graph():
    graph, _, _ = small()
    other = fx.Graph()
    result = other.graph_copy(graph, {})
    other.output(result)
    assert str(other) == str(graph)


def test_modules_come_and_go():
    traced = fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(1, 1)))
    assert traced.add_submodule("deep.down", torch.nn.ReLU())
    assert isinstance(traced.deep.down, torch.nn.ReLU)
    traced.delete_all_unused_submodules()
    assert not hasattr(traced, "deep")
    with pytest.raises(RuntimeError, match="that target was not provided"):
        fx.GraphModule({}, traced.graph)
    assert traced.print_readable(print_output=False).startswith("class Sequential(torch.nn.Module):")
