"""Explanations and drawings of graphs: the way to a parameter, and where it was cut."""

import pytest

import rushlight as torch
from rushlight import nn


def network():
    torch.manual_seed(0)
    encoder, head = nn.Linear(2, 3), nn.Linear(3, 1)
    return encoder, head, torch.ones(4, 2)


def test_a_loss_is_told_what_it_reaches_and_where_gradients_stop():
    encoder, head, x = network()
    hidden = encoder(x).detach()
    said = torch.explain(head(hidden).sum())
    assert "Gradients flow from it to head.bias and head.weight." in said
    assert "hidden = encoder(x).detach()" in said and "detach() took it out of the graph" in said


def test_a_parameter_is_told_the_way_from_the_loss():
    encoder, head, x = network()
    loss = head(torch.tanh(encoder(x))).sum()
    said = torch.explain(encoder.weight, loss)
    assert "encoder.weight requires grad and has no gradient" in said
    steps = [line.split()[0] for line in said.splitlines() if line.startswith("    ")]
    assert steps == ["SumBackward0", "AddmmBackward0", "TanhBackward0", "AddmmBackward0"]
    loss.backward()
    assert "encoder.weight has a gradient of norm" in torch.explain(encoder.weight)


def test_a_parameter_behind_a_cut_is_told_the_cut():
    encoder, head, x = network()
    hidden = encoder(x).detach()
    loss = head(hidden).sum()
    said = torch.explain(encoder.weight)
    assert "No tensor in sight leads to it." in said and "encoder(x).detach()" in said
    assert "The loss does not lead to it." in torch.explain(encoder.weight, loss)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda w: w.detach(), "detach() took it out of the graph"),
        (lambda w: torch.tensor(w.item()), ".item() or float()"),
        (lambda w: w > 0, "a comparison"),
        (lambda w: torch.ones(1), "does not require grad"),
        (lambda w: w, "no backward() has reached it"),
        (lambda w: w * 2, "Only leaves keep theirs"),
    ],
)
def test_why_there_is_no_gradient(make, words):
    w = torch.tensor(0.7, requires_grad=True)
    assert words in make(w).why_no_grad()


def test_under_no_grad_the_block_is_to_blame():
    w = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = w * 2
    assert "torch.no_grad()" in y.why_no_grad()


def test_the_graph_is_a_tree_with_names_and_cuts():
    encoder, head, x = network()
    hidden = encoder(x).detach()
    loss = head(hidden).sum()
    lines = str(torch.graph(loss)).splitlines()
    assert lines[0].startswith("loss = SumBackward0")
    assert any("head.weight [1, 3]" in line for line in lines)
    (cut,) = torch.graph(loss).cuts
    assert cut.label == "detach() took it out of the graph" and "encoder(x).detach()" in cut.line


@pytest.mark.thorough
def test_a_graph_of_a_hundred_thousand_nodes_is_drawn_without_recursion():
    x = torch.tensor(1.0, requires_grad=True)
    for _ in range(100_000):
        x = x + 0.0
    assert str(torch.graph(x)).endswith("100001 in all")


def test_what_is_used_twice_is_drawn_once():
    w = torch.tensor(2.0, requires_grad=True)
    y = w.exp()
    drawn = torch.graph(y * y + y)
    assert sum(each.label == "ExpBackward0" for each in drawn.vertices()) == 1
    assert "(above)" in str(drawn)


def test_a_notebook_is_shown_text_where_graphviz_is_missing(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "graphviz", None)
    drawn = torch.graph(torch.tensor(1.0, requires_grad=True) * 2)
    shown = drawn._repr_mimebundle_()
    assert set(shown) == {"text/plain", "text/html"} and shown["text/plain"] == str(drawn)
    assert "<span style='font-weight:bold'>" in shown["text/html"]
    with pytest.raises(ModuleNotFoundError, match="pip install graphviz"):
        drawn.svg()


def test_the_language_of_graphviz_names_every_edge():
    w = torch.tensor(2.0, requires_grad=True)
    dot = torch.graph(w * w.detach()).dot
    assert dot.startswith("digraph") and dot.count("->") == 2 and "color=red" in dot


def test_only_tensors_are_explained():
    with pytest.raises(TypeError, match="must be Tensor"):
        torch.explain(3)
    with pytest.raises(TypeError, match="must be Tensor"):
        torch.graph([1])


def test_a_write_to_a_leaf_is_refused_with_both_lines():
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError) as raised:
        w += 1
    assert "it is written to at" in str(raised.value) and "w += 1" in str(raised.value)
    assert "the leaf was made at" in str(raised.value)


def test_drawing_a_graph_changes_no_bit_of_its_gradients():
    def gradients(look):
        torch.manual_seed(0)
        encoder, head = nn.Linear(3, 4), nn.Linear(4, 1)
        loss = (head(torch.tanh(encoder(torch.randn(8, 3)))) - torch.randn(8, 1)).pow(2).mean()
        if look:
            torch.graph(loss)
            torch.explain(loss)
        loss.backward()
        return [each.grad.tolist() for each in [*encoder.parameters(), *head.parameters()]]

    assert gradients(look=True) == gradients(look=False)
