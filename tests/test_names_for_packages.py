"""Inner names of torch that other people's packages import: they are there, and do what these packages ask of them."""

import gc
import sys

import pytest

import rushlight as torch
from rushlight.compat import finder


def test_steps_record_only_where_they_are_differentiable():
    from rushlight.optim.optimizer import (
        _default_to_fused_or_foreach,
        _get_capturable_supported_devices,
        _use_grad_for_differentiable,
    )

    class Step:
        def __init__(self, differentiable):
            self.defaults = {"differentiable": differentiable}

        @_use_grad_for_differentiable
        def step(self):
            return torch.is_grad_enabled()

    assert Step(True).step()
    assert not Step(False).step()
    assert torch.is_grad_enabled()
    assert _default_to_fused_or_foreach([], False) == (False, False)
    assert "xla" not in _get_capturable_supported_devices(supports_xla=False)


def test_drawing_without_gradients():
    weight = torch.nn.Parameter(torch.zeros(3))
    assert torch.nn.init._no_grad_uniform_(weight, 1.0, 2.0) is weight
    assert weight.min() >= 1
    assert torch.nn.init._no_grad_fill_(weight, 4.0).tolist() == [4, 4, 4]
    assert isinstance(weight, torch.nn.parameter.Parameter)
    assert issubclass(type(torch.nn.Parameter), torch.nn.parameter._ParameterMeta)


def test_a_sigmoid_that_stays_inside():
    from rushlight.distributions.transforms import _clipped_sigmoid

    found = _clipped_sigmoid(torch.tensor([-1000.0, 0.0, 1000.0]))
    assert 0 < found[0] < found[1] == 0.5 < found[2] < 1


def test_parts_of_graph_modules():
    from rushlight.fx import graph_module

    origin, to = torch.nn.Sequential(torch.nn.Linear(1, 1)), torch.nn.Module()
    graph_module._copy_attr(origin, to, "0.weight")
    assert getattr(to, "0").weight is origin[0].weight
    copied = graph_module._CodeOnlyModule(dict(vars(origin)))
    assert next(copied.parameters()) is origin[0].weight
    assert graph_module._USER_PRESERVED_ATTRIBUTES_KEY == "_user_preserved_attributes"


def test_answers_about_what_is_not_there():
    from rushlight._dynamo.eval_frame import is_dynamo_supported
    from rushlight._dynamo.exc import TensorifyScalarRestartAnalysis
    from rushlight.fx.experimental.symbolic_shapes import free_unbacked_symbols
    from rushlight.profiler.profiler import ProfilerAction, _default_schedule_fn

    assert not is_dynamo_supported()
    assert issubclass(TensorifyScalarRestartAnalysis, RuntimeError)
    assert free_unbacked_symbols(3) == set()
    assert _default_schedule_fn(0) is ProfilerAction.RECORD
    assert torch.cuda._initialized is False
    assert torch._dynamo.config.reorderable_logging_functions == set()


def test_states_of_a_scaler():
    from rushlight.amp.grad_scaler import OptState

    assert [each.name for each in OptState] == ["READY", "UNSCALED", "STEPPED"]


def test_casts_of_nested_arguments():
    from rushlight.amp.autocast_mode import _cast

    found = _cast({"a": [torch.ones(1), "text"], "b": torch.ones(1, dtype=torch.int64)}, "cpu", torch.bfloat16)
    assert found["a"][0].dtype is torch.bfloat16
    assert (found["a"][1], found["b"].dtype) == ("text", torch.int64)


def test_a_shuffler_by_the_name_of_its_class():
    from rushlight.utils.data.datapipes.iter import Shuffler
    from rushlight.utils.data.datapipes.iter.combinatorics import ShufflerIterDataPipe

    assert ShufflerIterDataPipe is Shuffler


def test_a_graph_of_torchscript_is_refused():
    with pytest.raises(NotImplementedError, match="_get_trace_graph is not in Rushlight"):
        torch.jit._get_trace_graph(max)


def test_operands_of_einsum_are_shown_one_by_one():
    class Network(torch.nn.Module):
        def forward(self, a, b):
            return torch.einsum("ij,jk->ik", (a, b))

    node = next(each for each in torch.fx.symbolic_trace(Network()).graph.nodes if each.op == "call_function")
    assert len(node.args) == 3


def test_vmap_by_its_older_name_lets_absent_gradients_through():
    from rushlight._vmap_internals import _vmap, vmap

    x, unused = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(1.0, requires_grad=True)
    cubes = x**3

    def rows(v):
        return torch.autograd.grad(cubes, (x, unused), v, allow_unused=True, retain_graph=True)

    found, nothing = _vmap(rows, allow_none_pass_through=True)(torch.eye(2))
    assert found.tolist() == [[3.0, 0.0], [0.0, 12.0]] and nothing is None
    with pytest.warns(FutureWarning, match="use torch.vmap"):
        assert vmap(torch.neg)(x.detach()).tolist() == [-1.0, -2.0]


def test_helpers_of_functional_derivatives_by_their_private_names():
    from rushlight.autograd import functional

    one, two = functional._construct_standard_basis_for((torch.zeros(1), torch.zeros(2)), (1, 2))
    assert one.tolist() == [[1.0], [0.0], [0.0]] and two.tolist() == [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    assert functional._as_tuple(one, "inputs", "jacobian") == (False, (one,))
    assert functional._tuple_postprocess(((one,), (two,)), (True, False)) == (one, two)
    assert functional._tuple_postprocess(((one, two),), (False, True)) == (one, two)
    assert functional._tuple_postprocess((one,), False) is one
    (detached,) = functional._grad_postprocess((one.requires_grad_() * 2,), False)
    assert not detached.requires_grad


def test_optimizers_of_packages_stay_out_of_compiled_functions():
    assert torch._disable_dynamo(lambda x: x + 1)(torch.ones(1)).item() == 2
    assert torch._disable_dynamo(recursive=False)(lambda x: x + 1)(torch.ones(1)).item() == 2


def test_packages_ask_whether_mixed_precision_is_of_use():
    from rushlight.cuda.amp.common import amp_definitely_not_available

    assert torch.cuda.amp.common.amp_definitely_not_available is amp_definitely_not_available
    assert amp_definitely_not_available()


def test_the_progress_bar_of_hub_is_that_of_tqdm(monkeypatch, tmp_path):
    (tmp_path / "tqdm.py").write_text("tqdm = 'a bar'")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "tqdm", raising=False)
    assert torch.hub.tqdm == "a bar"


def test_modes_can_be_derived_from():
    class Counting(torch.no_grad):
        def __init__(self, count=1):
            super().__init__()
            self.count = count

    with Counting() as _, Counting(2):
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    assert Counting(3).count == 3
    assert Counting()(torch.is_grad_enabled)() is False


def test_the_limit_of_recompilations_is_lifted_for_a_while():
    from rushlight._dynamo.utils import disable_cache_limit

    config = torch._dynamo.config
    with disable_cache_limit():
        assert config.recompile_limit > 1e9
    assert config.recompile_limit == 8


def test_boxed_functions_take_a_list():
    from rushlight._functorch.boxes import make_boxed_compiler, make_boxed_func, nop

    add = make_boxed_func(lambda x, y: x + y)
    assert add([1, 2]) == nop(lambda x, y: x + y, None)([1, 2]) == 3
    assert add._boxed_call
    assert make_boxed_compiler(lambda graph, inputs: graph)(len, None)(["four"]) == 4


@pytest.mark.parametrize(
    "line",
    [
        "import functorch.compile; functorch.compile.aot_function(len, len)",
        "from torch._functorch.partitioners import _is_primal as found; found(None)",
        "from torch._dynamo.backends.common import aot_autograd as found; found()",
        "from torch._decomp import core_aten_decompositions as found; found()",
        "from torch.nn.quantized import BatchNorm2d as found; found(3)",
        "from torch.nn.quantized.dynamic import Linear as found; found(3, 3)",
        "import torch; torch.nn.qat.Linear(3, 3)",
        "import torch; torch.nn.intrinsic.LinearReLU(3)",
        "import torch; torch.nn.quantizable.LSTM(3)",
    ],
)
def test_what_packages_import_and_seldom_call_says_why_when_called(line):
    with (
        finder.installed(),
        pytest.raises(
            NotImplementedError, match=r"is not in Rushlight: (networks are not captured|quantization is left)"
        ),
    ):
        exec(line, {})


def test_every_object_can_be_asked_for_its_type_beside_lazy_layers():
    lazy = torch.nn.LazyLinear(3)
    found = [each for each in gc.get_objects() if isinstance(each, torch.nn.Parameter)]
    assert any(each is lazy.weight for each in found)
