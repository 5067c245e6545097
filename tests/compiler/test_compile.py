"""torch.compile and its kin: wrappers, marks and questions, and options that are checked as torch checks them."""

import copy
import gc
import inspect
import pickle
import weakref

import pytest

import rushlight as torch
from rushlight import _dynamo, compiler, export, nn
from rushlight.native import extension


def test_a_function_stays_itself():
    @torch.compile
    def double(x):
        """Twice."""
        return x * 2

    assert double(torch.ones(1)).item() == 2
    assert (double.__name__, double.__doc__) == ("double", "Twice.")
    assert torch.compile(dynamic=True, fullgraph=True)(lambda x: x)(3) == 3
    assert compiler.disable(double)(2) == 4


@torch.compile
def tripled(x, *, times=3):
    return x * times


def test_a_compiled_function_has_what_functions_have():
    class Scaled:
        scale = 2

        @torch.compile
        def of(self, x):
            return x * self.scale

    assert Scaled().of(3) == 6 and Scaled.of(Scaled(), 3) == 6
    assert tripled(2) == 6 and tripled(x=2, times=1) == 2
    assert str(inspect.signature(tripled)) == "(x, *, times=3)"
    assert "def tripled" in inspect.getsource(tripled)
    assert pickle.loads(pickle.dumps(tripled)) is tripled and copy.deepcopy(tripled) is tripled
    tripled.note, tripled.__doc__ = 1, "Thrice."
    assert (tripled.__doc__, tripled.__wrapped__.__doc__, hasattr(tripled.__wrapped__, "note")) == (
        "Thrice.",
        None,
        False,
    )
    with pytest.raises(TypeError, match="tripled"):
        tripled()


def test_compiled_functions_are_collected_with_what_holds_them():
    class Owner:
        def run(self):
            return self

    owner = Owner()
    owner.fast = torch.compile(owner.run)
    assert owner.fast() is owner
    seen = weakref.ref(owner)
    del owner
    gc.collect()
    assert seen() is None


def test_a_module_is_wrapped_as_in_torch():
    layer = nn.Linear(2, 1)
    made = torch.compile(layer)
    assert isinstance(made, nn.Module)
    assert not isinstance(made, nn.Linear)
    assert made._orig_mod is layer
    assert list(made.state_dict()) == ["_orig_mod.weight", "_orig_mod.bias"]
    assert made.weight is layer.weight
    assert torch.equal(made(torch.ones(2)), layer(torch.ones(2)))
    made.eval()
    assert not layer.training
    made.note = 3
    assert layer.note == 3
    del made.note
    assert not hasattr(layer, "note")
    assert type(pickle.loads(pickle.dumps(made))).__name__ == "OptimizedModule"
    assert copy.deepcopy(made).weight is not layer.weight
    assert torch.compile(layer, disable=True) is layer
    assert len(torch.compile(nn.Sequential(layer))) == 1


def test_a_module_is_compiled_in_place():
    layer, x = nn.Sequential(nn.Linear(2, 3), nn.Tanh()), torch.ones(2)
    eager, seen = layer(x), []
    assert layer.compile() is None
    layer[1].register_forward_hook(lambda *_: seen.append(compiler.is_compiling()))
    assert torch.equal(layer(x), eager)
    assert seen == [True]
    assert list(layer.state_dict()) == ["0.weight", "0.bias"]
    copied = copy.deepcopy(layer)
    assert copied._compiled_call_impl is None and "_compiled_call_impl" not in layer.__getstate__()
    assert torch.equal(copied(x), eager)


def test_inside_of_a_compiled_function_programs_are_told_so():
    inside = torch.compile(lambda: (compiler.is_compiling(), _dynamo.is_compiling(), torch._utils.is_compiling()))
    assert inside() == (True, True, True)
    plain = compiler.disable(compiler.is_compiling)
    assert plain is not compiler.is_compiling and plain._torchdynamo_disable
    assert torch.compile(lambda: (plain(), compiler.is_compiling()))() == (False, True)
    with compiler.set_stance("force_eager"):
        assert not torch.compile(compiler.is_compiling)()
    assert torch.compile(compiler.is_compiling)()

    def both():
        with compiler.disable():
            return compiler.is_compiling()

    assert not torch.compile(both)()
    assert nested() == (True, True, True)


@torch.compile
def nested():
    return compiler.is_compiling(), torch.compile(compiler.is_compiling)(), compiler.is_compiling()


def test_a_stance_may_be_set_for_good_or_decorate():
    compiler.set_stance("force_eager")
    assert not torch.compile(compiler.is_compiling)()
    compiler.set_stance("default")
    decorated = compiler.set_stance("force_eager")(torch.compile(compiler.is_compiling))
    assert (torch.compile(compiler.is_compiling)(), decorated(), torch.compile(compiler.is_compiling)()) == (
        True,
        False,
        True,
    )


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x * 2 if x.sum() > 0 else x, r"bool\(\), as `if` asks for it, needs a tensor's numbers"),
        (lambda x: [1, 2, 3][x.sum().long()], "an index needs a tensor's numbers"),
        (lambda x: repr(x), r"repr\(\), as `print` asks for it, needs"),
        (lambda x: _dynamo.graph_break("here"), r"graph_break\(\) was called: here"),
        (lambda x: compiler.disable(lambda x: x, reason="slow")(x), "is not to be compiled: slow"),
    ],
)
def test_a_graph_that_must_be_whole_names_the_line_where_it_breaks(function, words):
    with pytest.raises(_dynamo.exc.Unsupported, match=words) as caught:
        torch.compile(function, fullgraph=True)(torch.ones(2))
    assert "test_compile.py:" in str(caught.value)
    torch.compile(function)(torch.ones(2))


def test_a_whole_graph_may_hand_numbers_out_as_in_torch():
    function = torch.compile(lambda x: (x * x.sum().item(), float(x[0]), x.tolist()), fullgraph=True)
    made, first, numbers = function(torch.ones(2))
    assert (made.tolist(), first, numbers) == ([2.0, 2.0], 1.0, [1.0, 1.0])
    # looks of our own are no breaks
    assert torch.compile(lambda x: torch.distributions.Normal(x, 1.0).mean, fullgraph=True)(torch.ones(2)).sum() == 2


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"mode": "foo"}, RuntimeError, "Unrecognized mode=foo, should be one of: default, lite, reduce-overhead"),
        ({"backend": "nope"}, _dynamo.exc.InvalidBackend, "Invalid backend: 'nope', see `torch._dynamo.list_backends"),
        ({"mode": "default", "options": {}}, RuntimeError, "Either mode or options can be specified"),
        ({"dynamic": 3}, AssertionError, "Expected enable to be a bool"),
        ({"options": 3}, RuntimeError, "options is a dict"),
    ],
)
def test_options_that_torch_refuses(options, kind, words):
    with pytest.raises(kind, match=words):
        torch.compile(lambda x: x, **options)
    with pytest.raises(kind, match=words):
        nn.Linear(1, 1).compile(**options)


@pytest.mark.parametrize(
    "options",
    [{"mode": mode} for mode in compiler.entry.MODES]
    + [{"dynamic": dynamic} for dynamic in (None, True, False)]
    + [{"fullgraph": True}, {"backend": "inductor"}, {"options": {"max_autotune": True}}],
)
@pytest.mark.usefixtures("small_chains")
def test_options_that_change_no_number(options):
    def function(x):
        return (x * 2 + 1).tanh().sum(-1)

    compiled = torch.compile(function, **options)
    for shape in ((3, 4), (5, 1000), (2, 2, 7)):
        x = torch.randn(shape)
        assert torch.equal(compiled(x), function(x))
        _dynamo.reset()


@pytest.mark.usefixtures("small_chains")
def test_what_is_disabled_runs_as_it_stands():
    seen = []

    @compiler.disable
    def plain(x):
        seen.append(compiler.is_compiling())
        return x * 2

    found = _dynamo.explain(lambda x: plain(x + 1).relu() - 1)(torch.ones(4))
    assert (seen, found.result.tolist()) == ([False], [3.0] * 4)
    if extension is not None:
        assert found.ops_per_graph == [["add"], ["relu", "sub"]]
    with pytest.raises(_dynamo.exc.Unsupported, match="is not to be compiled"):
        torch.compile(lambda x: plain(x), fullgraph=True)(torch.ones(4))


def test_what_is_no_function():
    with pytest.raises(AssertionError, match="A callable function is expected"):
        torch.compile(3)


def test_questions_are_answered_truthfully():
    assert not compiler.is_compiling()
    assert not compiler.is_dynamo_compiling()
    assert not compiler.is_exporting()
    assert not _dynamo.is_compiling()
    assert compiler.list_backends() == ["cudagraphs", "inductor", "openxla", "tvm"]
    compiler.reset()
    _dynamo.reset()
    with pytest.raises(RuntimeError, match=r"invalid torch.compile stance 'odd'"):
        compiler.set_stance("odd")
    with compiler.set_stance("force_eager"):
        pass


def test_marks_give_the_function_back():
    def function(x):
        return x

    for mark in (compiler.allow_in_graph, compiler.assume_constant_result):
        assert mark(function) is function
    assert compiler.disable(recursive=False)(function) is function
    assert compiler.substitute_in_graph(max)(function) is function
    assert compiler.allow_in_graph([function]) == [function]
    with pytest.raises(AssertionError, match="expects a callable"):
        compiler.allow_in_graph(3)


def test_settings_are_kept_and_patched():
    before = _dynamo.config.cache_size_limit
    with _dynamo.config.patch(cache_size_limit=64):
        assert _dynamo.config.cache_size_limit == 64
    assert _dynamo.config.cache_size_limit == before

    @_dynamo.config.patch("verbose", True)
    def read():
        return _dynamo.config.verbose

    assert read()
    assert not _dynamo.config.verbose
    with pytest.raises(AttributeError, match=r"torch._dynamo.config.nonsense does not exist"):
        _ = _dynamo.config.nonsense
    torch._inductor.config.triton.cudagraphs = True
    assert torch._inductor.config.triton.cudagraphs
    torch._inductor.config.triton.cudagraphs = False


def test_backends_can_be_registered():
    @_dynamo.register_backend
    def mine(module, inputs):
        return module.forward

    assert torch.compile(lambda x: x, backend="mine")(1) == 1
    assert _dynamo.lookup_backend("mine") is mine
    compiler.marks.BACKENDS.pop("mine")
    with pytest.raises(_dynamo.exc.InvalidBackend):
        _dynamo.lookup_backend("mine")


def test_what_needs_a_compiler_is_refused():
    for refused in (_dynamo.export, export.export, export.save, export.unflatten):
        with pytest.raises(NotImplementedError, match="is not in Rushlight"):
            refused(None, None)
    with pytest.raises(NotImplementedError, match="is not in Rushlight"):
        export.load("file")
    with pytest.raises(NotImplementedError, match="is not in Rushlight"):
        export.draft_export(None)
    with pytest.raises(NotImplementedError, match="is not in Rushlight"):
        export.ExportedProgram()
    assert export.dims("a", "b", max=3)[1].max == 3
    with pytest.raises(AssertionError, match="valid identifier"):
        export.Dim("1 x")
