"""torch.jit: programs run as they are written, and what needs TorchScript says so."""

import pytest

import rushlight as torch
from rushlight import jit, nn


def test_script_gives_back_what_it_gets():
    layer = nn.Linear(1, 1)
    assert jit.script(layer) is layer
    assert jit.script(torch.add) is torch.add
    assert not isinstance(jit.script(layer), jit.ScriptModule)
    with pytest.raises(RuntimeError, match="expected a function, a module or a class, not int"):
        jit.script(3)
    assert not jit.is_scripting()
    assert not jit.is_tracing()


def test_marks_change_nothing():
    class Marked(nn.Module):
        scale: jit.Final[int] = 3

        @jit.export
        def one(self):
            return 1

        @jit.ignore
        def two(self):
            return 2

        @jit.ignore(drop=True)
        def three(self):
            return 3

        @jit.unused
        def four(self):
            return 4

    marked = Marked()
    assert [marked.one(), marked.two(), marked.three(), marked.four()] == [1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="must be a bool or a function"):
        jit.ignore(3)


def test_a_module_of_the_old_kind_is_an_ordinary_one():
    class Old(jit.ScriptModule):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(1, 1)

        @jit.script_method
        def forward(self, x):
            return self.layer(x)

    assert Old()(torch.ones(1)).shape == (1,)
    with pytest.raises(RuntimeError, match="TorchScript is not in Rushlight"):
        jit.ScriptModule()
    with pytest.raises(RuntimeError, match="TorchScript is not in Rushlight"):
        jit.CompilationUnit("def f(): pass")


def test_trace_calls_once_and_gives_the_function_back():
    calls = []

    def function(x):
        calls.append(x)
        return x + 1

    assert jit.trace(function, torch.ones(1)) is function
    assert len(calls) == 1
    layer = nn.Linear(2, 3)
    assert jit.trace(layer, (torch.ones(1, 2),)) is layer
    assert jit.trace_module(layer, {"forward": torch.ones(2)}) is layer
    with pytest.raises(RuntimeError, match=r"mat1 and mat2|shapes"):
        jit.trace(layer, torch.ones(1, 5))
    with pytest.raises(RuntimeError, match="Type 'int' cannot be traced"):
        jit.trace(lambda x: 3, torch.ones(1))
    with pytest.raises(RuntimeError, match="pass strict=False"):
        jit.trace(lambda x: {"a": x}, torch.ones(1))
    jit.trace(lambda x: {"a": x}, torch.ones(1), strict=False)
    with pytest.raises(RuntimeError, match="should be a dict"):
        jit.trace(layer)
    with pytest.raises(RuntimeError, match="expected a function"):
        jit.trace(3, torch.ones(1))
    with pytest.raises(RuntimeError, match="should be a dict"):
        jit.trace(layer, example_kwarg_inputs=3)
    with pytest.raises(AttributeError, match=r"expected torch.nn.Module"):
        jit.trace_module(3, {})
    with pytest.raises(AttributeError, match="expected a dictionary"):
        jit.trace_module(layer, 3)


def test_types_with_elements():
    assert jit.isinstance([1, 2], list[int])
    assert not jit.isinstance([1, "a"], list[int])
    assert jit.isinstance({"a": 1}, dict[str, int])
    assert jit.isinstance((1, "a"), tuple[int, str])
    assert not jit.isinstance((1, 2), tuple[int, str])
    assert jit.isinstance(1, (str, int))
    assert jit.annotate(list[int], []) == []


def test_fork_runs_at_once():
    assert jit.wait(jit.fork(torch.add, torch.ones(1), 1)).item() == 2
    with pytest.raises(ZeroDivisionError):
        jit.fork(lambda: 1 / 0).wait()


def test_files_of_torchscript_are_refused(tmp_path):
    with pytest.raises(NotImplementedError, match=r"torch.save\(module.state_dict\(\), file\)"):
        jit.save(nn.Linear(1, 1), tmp_path / "a.pt")
    with pytest.raises(NotImplementedError, match="which has no TorchScript"):
        jit.load(tmp_path / "a.pt")
    with pytest.raises(NotImplementedError, match="TorchScript"):
        jit.export_opnames(None)
    with pytest.raises(NotImplementedError, match="TorchScript"):
        jit.last_executed_optimized_graph()
    assert list(tmp_path.iterdir()) == []


def test_freezing_wants_eval_mode():
    layer = nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match="only implemented for modules in eval mode"):
        jit.freeze(layer)
    assert jit.freeze(layer.eval()) is layer
    assert jit.optimize_for_inference(layer) is layer


def test_settings():
    jit.enable_onednn_fusion(True)
    assert jit.onednn_fusion_enabled()
    jit.enable_onednn_fusion(False)
    assert jit.set_fusion_strategy([("STATIC", 1)]) == [("STATIC", 2), ("DYNAMIC", 10)]
    jit.set_fusion_strategy([("STATIC", 2), ("DYNAMIC", 10)])
    with jit.fuser("fuser1"), jit.optimized_execution(False), jit.strict_fusion():
        pass
    with pytest.raises(Exception, match="unrecognized fuser option"), jit.fuser("fuser9"):
        pass


@pytest.mark.parametrize("make", [jit.script, lambda f: jit.trace(f, torch.ones(1))])
def test_what_a_compiled_function_has_says_why_it_is_not_there(make):
    @make
    def double(x):
        return x * 2

    assert double(torch.ones(1)).item() == 2
    for use in (
        lambda: print(double.graph),
        lambda: f"{double.code}",
        lambda: double.inlined_graph.nodes(),
        lambda: list(double.graph),
        lambda: double.graph_for(torch.ones(1)),
    ):
        with pytest.raises(NotImplementedError, match=r"is TorchScript's, which is not in Rushlight.*symbolic_trace"):
            use()
    with pytest.raises(
        NotImplementedError, match=r"\.save is TorchScript's.*torch.save\(module.state_dict\(\), file\)"
    ):
        double.save("file.pt")
    assert "not in Rushlight" in repr(vars(double))


@pytest.mark.parametrize("make", [jit.script, lambda layer: jit.trace(layer, torch.ones(1))])
def test_what_a_compiled_module_has_says_why_it_is_not_there(make):
    layer = make(nn.Linear(1, 1))
    for name, word in (("graph", "symbolic_trace"), ("code", "symbolic_trace"), ("save", "state_dict")):
        with pytest.raises(AttributeError, match=f"'Linear' object has no attribute '{name}'.*TorchScript.*{word}"):
            getattr(layer, name)
        # a program that asks first goes another way
        assert not hasattr(layer, name)


def test_the_switch_that_packages_read_is_there(monkeypatch):
    from rushlight.jit import _state

    assert bool(_state._enabled) is _state._enabled.enabled
    before = _state._enabled.enabled
    try:
        _state.disable()
        assert not _state._enabled
        _state.enable()
        assert _state._enabled
    finally:
        _state._enabled.enabled = before
    monkeypatch.setenv("PYTORCH_JIT", "0")
    assert not _state.EnabledProxy()
    assert _state._get_script_class(nn.Linear) is None
