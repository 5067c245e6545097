"""symbolic_trace: what a module does becomes a graph and Python code, word for word as torch writes it."""

import copy
import pickle

import pytest

import rushlight as torch
from rushlight import fx, nn
from rushlight.nn import functional


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.w = nn.Parameter(torch.ones(2))
        self.seq = nn.Sequential(nn.ReLU(), nn.Linear(2, 1))
        self.register_buffer("b", torch.ones(1))

    def forward(self, x, scale: float = 2.0):
        z = functional.relu(self.lin(x) + self.w).view(-1, 2)
        z = torch.cat([z, z], dim=1)[:, :2] * scale - 1 / z + self.b
        return {"a": self.seq(z), "b": (z.shape[0], -z)}


CODE = """


def forward(self, x, scale : float = 2.0):
    lin = self.lin(x);  x = None
    w = self.w
    add = lin + w;  lin = w = None
    relu = torch.nn.functional.relu(add, inplace = False);  add = None
    view = relu.view(-1, 2);  relu = None
    cat = torch.cat([view, view], dim = 1)
    getitem = cat[(slice(None, None, None), slice(None, 2, None))];  cat = None
    mul = getitem * scale;  getitem = scale = None
    truediv = 1 / view;  view = None
    sub = mul - truediv;  mul = truediv = None
    b = self.b
    add_1 = sub + b;  sub = b = None
    seq_0 = getattr(self.seq, "0")(add_1)
    seq_1 = getattr(self.seq, "1")(seq_0);  seq_0 = None
    getattr_1 = add_1.shape
    getitem_1 = getattr_1[0];  getattr_1 = None
    neg = -add_1;  add_1 = None
    return {'a': seq_1, 'b': (getitem_1, neg)}
    """


def test_the_code_is_torchs():
    assert fx.symbolic_trace(Block()).code == CODE


def test_a_traced_module_computes_the_same():
    block, x = Block(), torch.randn(3, 2)
    traced = fx.symbolic_trace(block)
    wanted, found = block(x), traced(x)
    assert torch.equal(wanted["a"], found["a"])
    assert wanted["b"][0] == found["b"][0]
    assert list(traced.state_dict()) == ["w", "b", "lin.weight", "lin.bias", "seq.1.weight", "seq.1.bias"]
    found["a"].sum().backward()
    assert block.w.grad is not None


def test_a_graph_in_words():
    graph = fx.symbolic_trace(lambda x, y: torch.stack((x, y)).sum(0)).graph
    assert str(graph) == (
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %y : [num_users=1] = placeholder[target=y]\n"
        "    %stack : [num_users=1] = call_function[target=torch.stack](args = ((%x, %y),), kwargs = {})\n"
        "    %sum_1 : [num_users=1] = call_method[target=sum](args = (%stack, 0), kwargs = {})\n"
        "    return sum_1"
    )


def test_constants_and_arguments_of_all_kinds():
    traced = fx.symbolic_trace(lambda *a, **k: torch.zeros(2) + a[0] * k["b"])
    assert "def forward(self, *a, **k):\n    _a = a\n    _k = k\n" in traced.code
    assert "_tensor_constant0.add(mul)" in traced.code
    assert traced(torch.ones(2), b=3).tolist() == [3, 3]


def test_settled_arguments():
    def function(x, flag=None, count=2):
        return x if flag is None else x * count

    traced = fx.symbolic_trace(function, concrete_args={"flag": None})
    assert traced(torch.ones(1)).item() == 1
    with pytest.raises(AssertionError, match="flag has been specialized to have value None"):
        traced(torch.ones(1), 3)


def test_control_flow_is_refused_with_the_line():
    def function(x):
        if x.sum() > 0:
            return x
        return -x

    with pytest.raises(fx.proxy.TraceError, match=r"inputs to control flow\n  at .*if x.sum\(\) > 0"):
        fx.symbolic_trace(function)
    with pytest.raises(fx.proxy.TraceError, match="cannot be iterated"):
        fx.symbolic_trace(lambda x: list(x))
    with pytest.raises(RuntimeError, match="'len' is not supported"):
        fx.symbolic_trace(lambda x: len(x))
    first, second = fx.symbolic_trace(lambda x: unpacked(x))(torch.tensor([1, 2]))
    assert (first, second) == (2, 1)


def unpacked(x):
    one, other = x
    return other, one


@fx.wrap
def whole(x, n):
    return x * n if x.sum() > 0 else x


def test_wrapped_functions_are_one_call():
    traced = fx.symbolic_trace(lambda x: whole(x, 3))
    assert [node.target for node in traced.graph.nodes if node.op == "call_function"] == [whole]
    assert traced(torch.ones(1)).item() == 3
    with pytest.raises(NotImplementedError, match="top level of a module"):
        fx.wrap("len")


def test_modules_of_ones_own_are_looked_into_and_leaves_can_be_chosen():
    class Leaves(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return isinstance(m, nn.Sequential)

    graph = Leaves().trace(Block())
    assert [node.target for node in graph.nodes if node.op == "call_module"] == ["seq"]


def test_copies_and_pickles_run_alike():
    traced = fx.symbolic_trace(Block())
    x = torch.randn(2, 2)
    for other in (copy.deepcopy(traced), pickle.loads(pickle.dumps(traced))):
        assert other.code == traced.code
        assert torch.equal(other(x)["a"], traced(x)["a"])


def test_nothing_stays_patched_after_a_failure():
    class Failing(nn.Module):
        def forward(self, x):
            raise ValueError("in forward")

    with pytest.raises(ValueError, match="in forward"):
        fx.symbolic_trace(Failing())
    assert isinstance(nn.Linear(1, 1)(torch.ones(1)), torch.Tensor)
    assert isinstance(Block().w, nn.Parameter)
