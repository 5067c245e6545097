"""What torch._dynamo.explain says: which calls ran as one pass, and what ended a chain in which line."""

import pytest

import rushlight as torch
from rushlight.native import extension

pytestmark = [
    pytest.mark.usefixtures("small_chains"),
    pytest.mark.skipif(extension is None, reason="without native code nothing is fused"),
]


def test_a_chain_is_one_pass():
    found = torch._dynamo.explain(lambda x: (x * 2 + 1).relu())(torch.ones(4))
    assert found.ops_per_graph == [["mul", "add", "relu"]]
    assert (found.graph_count, found.graph_break_count, found.op_count) == (1, 0, 3)
    assert "mul, add, relu: one pass, 1 of 3 results written, from" in str(found)
    assert found.result.tolist() == [3.0] * 4


def test_breaks_have_their_reasons_and_lines():
    def function(x):
        double = x * 2
        total = double.sum()
        double += 1
        return (double * total).view(2, 2)

    found = torch._dynamo.explain(function, torch.ones(4))
    first, second = found.break_reasons
    assert (first.reason, second.reason) == ("add", "view")
    assert [step.name for step in first.steps] == ["mul", "sum"]
    assert "test_explain.py" in str(found) and "double += 1" in str(found)


def test_memory_that_numpy_holds_is_not_trusted():
    x = torch.ones(4)
    array = x.numpy()
    found = torch._dynamo.explain(lambda x: x.detach().add(1).mul(2) + x)(x)
    assert found.break_reasons[-1].reason == "memory that others may write to"
    assert array.sum() == 4


def test_small_calls_are_left_alone():
    extension.set_least_deferred(1 << 15)
    found = torch._dynamo.explain(lambda x: x * 2 + 1)(torch.ones(4))
    assert found.op_count == 0
    assert "nothing was fused: no large pointwise call was made" in str(found)
