"""`grad`, `grad_and_value` and `vjp`: values, trees, levels of recording, and what they refuse."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.func import grad, grad_and_value, jvp, vjp

X = torch.tensor([1.0, 2.0, 3.0])


def test_grad_is_the_gradient_and_nests():
    cube = lambda x: x**3
    x = torch.tensor(2.0)
    assert grad(cube)(x).item() == 12
    assert grad(grad(cube))(x).item() == 12
    assert grad(grad(grad(cube)))(x).item() == 6
    assert x.grad is None and not x.requires_grad


def test_grad_takes_trees_argnums_keywords_and_aux():
    def loss(params, x, *, scale):
        value = ((params["w"] * x).sum() + params["b"]) * scale
        return value, {"doubled": value * 2}

    params = {"w": torch.ones(3), "b": torch.tensor(1.0)}
    found, aux = grad(loss, has_aux=True)(params, X, scale=2.0)
    assert found["w"].tolist() == [2, 4, 6] and found["b"].item() == 2
    assert aux["doubled"].item() == 28
    both, (value, _) = grad_and_value(loss, argnums=(0, 1), has_aux=True)(params, X, scale=1.0)
    assert both[1].tolist() == [1, 1, 1] and value.item() == 7
    assert grad(lambda x, y: (x * y).sum(), argnums=-1)(X, X * 2).tolist() == [1, 2, 3]


def test_what_does_not_depend_has_a_gradient_of_zeros():
    assert grad(lambda x: torch.ones(()))(X).tolist() == [0, 0, 0]


def test_captured_tensors_keep_their_own_history():
    w = torch.tensor(2.0, requires_grad=True)
    found = grad(lambda x: x * x * w)(torch.tensor(3.0))
    found.backward()
    assert found.item() == 12 and w.grad.item() == 6
    with torch.no_grad():
        assert not grad(lambda x: x * x * w)(torch.tensor(3.0)).requires_grad


def test_detach_and_no_grad_cut_reverse_levels_but_data_only_one():
    x = torch.tensor(3.0)
    assert grad(grad(lambda x: x * x * x.detach()))(x).item() == 6
    assert grad(grad(lambda x: x * x * x.data))(x).item() == 12

    def guarded(x):
        with torch.no_grad():
            c = x**2
        return x * x * c

    assert grad(guarded)(x).item() == 54
    assert grad(grad(guarded))(x).item() == 18
    # forward mode goes on under no_grad
    assert jvp(grad(guarded), (x,), (x,))[1].item() == 162
    assert grad(lambda x: jvp(guarded, (x,), (torch.ones(()),))[1])(x).item() == 54


def test_in_place_operations_and_views_inside():
    def changed(x):
        y = torch.zeros(3)
        y += x * 2
        y[0] = x[1] * 5
        part = y[1:]
        part.mul_(x[0])
        return (y * y).sum()

    x = X.clone().requires_grad_()
    y = torch.stack([x[1] * 5, 2 * x[1] * x[0], 2 * x[2] * x[0]])
    (y * y).sum().backward()
    torch.testing.assert_close(grad(changed)(X), x.grad)


def test_a_captured_tensor_is_not_written_to():
    y = torch.zeros(3)
    with pytest.raises(RuntimeError, match=r"would mutate a captured Tensor. This is not supported"):
        grad(lambda x: y.add_(x).sum())(X)


@pytest.mark.parametrize(
    ("function", "options", "error", "words"),
    [
        (lambda x: x, {}, RuntimeError, "Expected f.*to return a scalar Tensor, got tensor with 1 dims"),
        (lambda x: 3, {}, RuntimeError, "Expected f.*to return a Tensor, got <class 'int'>"),
        (lambda x: x.sum(), {"argnums": 1}, RuntimeError, "Got argnum=1, but only 1 positional inputs"),
        (lambda x: x.sum(), {"argnums": "a"}, RuntimeError, "argnums must be int or Tuple"),
        (lambda x: x.sum(), {"argnums": ()}, RuntimeError, "argnums must be non-empty"),
        (lambda x: x.sum(), {"argnums": (0, 0)}, RuntimeError, "argnums elements must be unique"),
        (lambda x: x.sum(), {"argnums": (0.5,)}, RuntimeError, "argnum must be int, got: <class 'float'>"),
        (lambda x: x.sum(), {"has_aux": True}, RuntimeError, "output of function f should be a tuple"),
        (lambda x: x.sum() * 1j, {}, RuntimeError, "grad can be implicitly created only for real scalar outputs"),
    ],
)
def test_grad_refuses_in_torchs_words(function, options, error, words):
    with pytest.raises(error, match=words):
        grad(function, **options)(X)


def test_only_float_tensors_are_differentiated_for():
    with pytest.raises(ValueError, match="Thing passed to transform API must be Tensor, got <class 'int'>"):
        grad(lambda x: x)(3)
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        grad(lambda x: x.sum())(torch.arange(3))


def test_recording_is_not_switched_inside_and_backward_is_refused():
    with pytest.raises(RuntimeError, match=r"You are attempting to call Tensor.requires_grad_"):
        grad(lambda x: x.requires_grad_().sum())(X)
    with pytest.raises(RuntimeError, match=r"backward.* called inside a functorch transform"):
        grad(lambda x: x.sum().backward())(X)


def test_autograd_grad_works_inside():
    inner = lambda x: torch.autograd.grad((x**2).sum(), x, create_graph=True)[0].sum()
    assert grad(inner)(X).tolist() == [2, 2, 2]


def test_what_leaks_out_of_grad_is_a_plain_tensor_again():
    kept = []
    grad(lambda x: (kept.append(x), x.sum())[1])(X.clone())
    assert (kept[0] + 1).tolist() == [2, 3, 4]
    assert kept[0].add_(1)[0].item() == 2


def test_a_lifted_tensor_says_what_it_is():
    shown = []
    grad(lambda x: (shown.append(repr(x)), x.sum())[1])(torch.ones(2))
    assert shown == ["GradTrackingTensor(lvl=1, value=\n    tensor([1., 1.])\n)"]


def test_vjp_takes_trees_and_may_be_called_again():
    output, back = vjp(lambda x, y: {"a": x * y, "b": (y,)}, X, X * 2)
    assert output["a"].tolist() == [2, 8, 18]
    for _ in range(2):
        one, two = back({"a": torch.ones(3), "b": (torch.zeros(3),)})
        assert one.tolist() == [2, 4, 6] and two.tolist() == [1, 2, 3]
    output, back, aux = vjp(lambda x: (x * 2, {"kept": x}), X, has_aux=True)
    assert aux["kept"].tolist() == [1, 2, 3] and back(torch.ones(3))[0].tolist() == [2, 2, 2]


def test_vjp_refuses_in_torchs_words():
    with pytest.raises(RuntimeError, match=r"expected f.*to return only tensors, got unsupported type <class 'int'>"):
        vjp(lambda x: 3, X)
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of torch.Size\(\[4\]\)"):
        vjp(lambda x: x, X)[1](torch.ones(4))
    with pytest.raises(RuntimeError, match=r"cotangents: \(\*, \*\), primal output: \{'a': \[\*\]\}"):
        vjp(lambda x: {"a": [x]}, X)[1]((X, X))
    with pytest.raises(RuntimeError, match="output of function f should be a tuple"):
        vjp(lambda x: x, X, has_aux=True)
    with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type <class 'str'>"):
        vjp(lambda x: (x, "words"), X, has_aux=True)


def test_an_input_that_comes_back_is_the_input():
    x = X.clone()
    assert vjp(lambda v, w: (w, v), x, x)[0][0] is x
    assert grad(lambda v: (v.sum(), v), has_aux=True)(x)[1] is x
    number = torch.tensor(2.0, requires_grad=True)
    assert grad_and_value(lambda v: v)(number)[1] is number
    assert grad(grad(lambda v: v**3))(number).grad_fn.name() == "MulBackward0"


def test_writes_by_way_of_a_detached_tensor_are_counted():
    def loss(v, seen):
        y = v.exp()
        aside = y.detach().mul_(3)
        seen += [aside._version, y._version]
        return y.sum()

    seen = []
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        grad(lambda v: loss(v, seen))(X)
    assert seen == [1, 1]


def test_shapes_of_inputs_may_not_change_in_place_while_they_are_recorded():
    for change in (torch.Tensor.t_, torch.Tensor.squeeze_, lambda v: v.unsqueeze_(0)):
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
            grad(lambda v, change=change: (change(v) * v).sum())(torch.ones(3, 1))

    def unrecorded(v):
        with torch.no_grad():
            v.squeeze_()
        return (v * v).sum()

    assert grad(unrecorded)(torch.ones(3, 1)).tolist() == [2, 2, 2]


def test_other_memory_is_refused_inside_of_transforms():
    def exchanged(v):
        v.data = torch.zeros(3)
        return v * v

    for transformed in (lambda x: vjp(exchanged, x), lambda x: jvp(exchanged, (x,), (x,))):
        with pytest.raises(
            RuntimeError, match=r"mutating directly with `.data` inside functorch transform is not allo"
        ):
            transformed(X)
    with pytest.raises(RuntimeError, match=r"mutating directly with `.data` under vmap transform is not allowed"):
        torch.vmap(exchanged)(X[None])
