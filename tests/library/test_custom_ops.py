"""torch.library: functions of one's own under torch.ops, with gradients of their own."""

import pytest

import rushlight as torch
from rushlight import library


@library.custom_op("tested::scaled", mutates_args=())
def scaled(x: torch.Tensor, k: float = 2.0, n: int | None = None) -> torch.Tensor:
    return x * k


@library.custom_op("tested::added", mutates_args={"x"})
def added(x: torch.Tensor) -> None:
    x.add_(1)


@library.custom_op("tested::joined", mutates_args=())
def joined(xs: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.cat(xs), torch.stack(xs)


def test_a_function_is_called_by_its_name():
    assert torch.ops.tested.scaled(torch.ones(2)).tolist() == [2, 2]
    assert torch.ops.tested.scaled.default(torch.ones(2), k=3.0).tolist() == [3, 3]
    assert scaled(torch.ones(1), 4.0).item() == 4
    assert repr(scaled) == "<CustomOpDef(tested::scaled)>"
    assert str(torch.ops.tested.scaled.default) == "tested.scaled.default"
    assert str(scaled._opoverload._schema) == "tested::scaled(Tensor x, float k=2.0, SymInt? n=None) -> Tensor"


def test_a_gradient_is_registered():
    x = torch.ones(2, requires_grad=True)
    made = scaled(x)
    assert type(made.grad_fn).__name__ == "GeneratedBackwardFor_tested_scaled_defaultBackward"
    with pytest.raises(RuntimeError, match=r"Trying to backward through tested.scaled.default but no autograd formula"):
        made.sum().backward()

    def setup(ctx, inputs, output):
        ctx.k = inputs[1]

    scaled.register_autograd(lambda ctx, grad: (grad * ctx.k, None, None), setup_context=setup)
    scaled(x, 5.0).sum().backward()
    assert x.grad.tolist() == [5, 5]
    scaled.register_autograd(lambda ctx, grad: grad)
    with pytest.raises(RuntimeError, match="gave 1 gradients for 3 arguments"):
        scaled(x).sum().backward()
    scaled._declared.backward = scaled._declared.setup = None


def test_lists_of_tensors_have_gradients_too():
    xs = [torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)]
    joined.register_autograd(lambda ctx, one, other: ([one[:2] + other[0], one[2:] + other[1]],))
    one, other = joined(xs)
    (one.sum() + 2 * other.sum()).backward()
    assert [x.grad.tolist() for x in xs] == [[3, 3], [3, 3]]


def test_writing_is_declared():
    x = torch.zeros(1)
    assert added(x) is None
    assert x.item() == 1
    assert str(added._opoverload._schema) == "tested::added(Tensor(a0!) x) -> ()"
    with pytest.raises(RuntimeError, match="Cannot register autograd formula for non-functional operator"):
        added.register_autograd(lambda ctx: None)
    with pytest.raises(RuntimeError, match="Cannot register autograd formula for non-functional operator"):
        library.register_autograd("tested::added", lambda ctx: None)


def test_a_result_is_no_argument():
    @library.custom_op("tested::same", mutates_args=())
    def same(x: torch.Tensor) -> torch.Tensor:
        return x

    with pytest.raises(RuntimeError, match="must not also be an input to this custom operator"):
        same(torch.ones(1))


def test_libraries_declare_and_implement():
    made = library.Library("tested2", "DEF")
    assert made.define("f(Tensor x, int n=3, *, int k=1) -> Tensor") == "f"
    made.impl("f", lambda x, n=3, *, k=1: x * n + k, "CPU")
    assert torch.ops.tested2.f(torch.ones(1)).item() == 4
    assert torch.ops.tested2.f(torch.ones(1), 2, k=5).item() == 7
    with pytest.raises(RuntimeError, match=r"tested2::f\(\) expected at most 2 argument\(s\) but received 3"):
        torch.ops.tested2.f(torch.ones(1), 1, 2)
    with pytest.raises(RuntimeError, match="Expected a value of type 'Tensor' for argument 'x' but instead found"):
        torch.ops.tested2.f("a")
    with pytest.raises(RuntimeError, match="is missing value for argument 'x'"):
        torch.ops.tested2.f()
    with pytest.raises(RuntimeError, match="unknown keyword argument 'q'"):
        torch.ops.tested2.f(torch.ones(1), q=1)
    with pytest.raises(ValueError, match="Unsupported kind"):
        library.Library("tested2", "ODD")
    with pytest.raises(ValueError, match="reserved namespace"):
        library.Library("prim", "DEF")
    with pytest.raises(RuntimeError, match="declare them with a DEF library"):
        library.Library("tested2", "IMPL").define("g(Tensor x) -> Tensor")
    with pytest.raises(TypeError, match="required to be a callable"):
        made.impl("f", 3)
    with pytest.raises(RuntimeError, match="is no declaration"):
        made.define("f Tensor")


def test_functions_without_a_library_object():
    library.define("tested3::g", "(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError, match=r"Could not run 'tested3::g' with arguments from the 'CPU' backend"):
        torch.ops.tested3.g(torch.ones(1))

    @library.impl("tested3::g", "cpu")
    def g(x):
        return x + 1

    assert torch.ops.tested3.g(torch.ones(1)).item() == 2
    with pytest.raises(AttributeError, match="'_OpNamespace' 'tested3' object has no attribute 'h'"):
        _ = torch.ops.tested3.h
    with pytest.raises(RuntimeError, match="operator tested3::h does not exist"):
        library.register_fake("tested3::h", lambda x: x)
    with pytest.raises(ValueError, match="namespace in odd"):
        library.define("odd", "(Tensor x) -> Tensor")
    with pytest.raises(ValueError, match="expected qualname to be instance of str"):
        library.define(3, "(Tensor x) -> Tensor")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x, "Parameter x must have a type annotation"),
        (lambda *x: x, "We do not support positional-only args, varargs, or varkwargs"),
    ],
)
def test_declarations_that_cannot_be_inferred(function, words):
    with pytest.raises(ValueError, match=words):
        library.infer_schema(function, mutates_args=())


def test_declarations_from_annotations():
    def function(x: torch.Tensor, names: list[str], *, other: torch.Tensor | None = None) -> tuple[torch.Tensor, int]:
        return x, 1

    assert (
        library.infer_schema(function, mutates_args={"x"})
        == "(Tensor(a0!) x, str[] names, *, Tensor? other=None) -> (Tensor, SymInt)"
    )

    def odd(x: dict) -> torch.Tensor:
        return x

    with pytest.raises(ValueError, match="Parameter x has unsupported type"):
        library.infer_schema(odd, mutates_args=())
    with pytest.raises(ValueError, match="mutates_args should contain names"):
        library.infer_schema(function, mutates_args={"y"})

    def nothing(x: torch.Tensor):
        return x

    with pytest.raises(ValueError, match="No return type annotation"):
        library.infer_schema(nothing, mutates_args=())


def test_functions_are_checked():
    @library.custom_op("tested::liar", mutates_args=())
    def liar(x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x + 1

    assert set(library.opcheck(scaled, (torch.ones(2),)).values()) == {"SUCCESS"}
    with pytest.raises(Exception, match="Argument x is not defined as mutable but was mutated"):
        library.opcheck(liar, (torch.ones(1),))
    scaled.register_fake(lambda x, k=2.0, n=None: torch.empty(3))
    assert "fake form gives" in library.opcheck(scaled, (torch.ones(2),), raise_exception=False)["test_faketensor"]
    scaled.register_fake(lambda x, k=2.0, n=None: torch.empty_like(x))


def test_an_op_for_triton_runs_its_body():
    @library.triton_op("rushlight_tests::tripled", mutates_args=())
    def tripled(x: torch.Tensor) -> torch.Tensor:
        return x * 3

    assert tripled(torch.ones(2)).tolist() == torch.ops.rushlight_tests.tripled(torch.ones(2)).tolist() == [3.0, 3.0]


def test_what_is_not_there_says_so():
    with pytest.raises(NotImplementedError, match="runs on the CPU: use custom_op"):
        library.wrap_triton(len)
    with pytest.raises(OSError, match=r"Could not load this library: x.so"):
        torch.ops.load_library("x.so")
    with pytest.raises(RuntimeError, match="registered fake impl"):
        library.get_ctx()
    with pytest.raises(NotImplementedError, match="should never be called"):
        library.fallthrough_kernel()


def test_the_old_way():
    from rushlight import _custom_ops

    @_custom_ops.custom_op("tested4::old")
    def old(x: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError

    _custom_ops.impl("tested4::old", func=lambda x: x * 3)
    _custom_ops.impl_save_for_backward("tested4::old", func=lambda inputs, output: inputs.x)
    _custom_ops.impl_backward("tested4::old", func=lambda ctx, saved, grad: {"x": grad * 3 * saved})
    x = torch.full((1,), 2.0, requires_grad=True)
    torch.ops.tested4.old(x).sum().backward()
    assert x.grad.item() == 6
