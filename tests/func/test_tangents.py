"""`jvp` and `linearize`."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.func import grad, jvp, linearize

X = torch.tensor([1.0, 2.0, 3.0])


def test_jvp_is_the_derivative_along_a_tangent_and_nests():
    value, slope = jvp(lambda x: x**3, (X,), (torch.ones(3),))
    assert value.tolist() == [1, 8, 27] and slope.tolist() == [3, 12, 27]
    second = jvp(lambda x: jvp(lambda x: x**3, (x,), (torch.ones(3),))[1], (X,), (torch.ones(3),))[1]
    assert second.tolist() == [6, 12, 18]
    cube = lambda x: (x**3).sum()
    assert jvp(grad(cube), (X,), (torch.ones(3),))[1].tolist() == [6, 12, 18]
    assert grad(lambda x: jvp(cube, (x,), (torch.ones(3),))[1])(X).tolist() == [6, 12, 18]


def test_jvp_takes_trees_and_aux():
    value, slope, aux = jvp(
        lambda tree: ({"s": tree["a"] * tree["b"][0]}, tree["a"]),
        ({"a": X, "b": [X * 2]},),
        ({"a": torch.ones(3), "b": [torch.zeros(3)]},),
        has_aux=True,
    )
    assert value["s"].tolist() == [2, 8, 18] and slope["s"].tolist() == [2, 4, 6] and aux.tolist() == [1, 2, 3]


def test_what_does_not_move_has_zeros_or_is_refused():
    assert jvp(lambda x: torch.ones(2), (X,), (X,))[1].tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="independent of the inputs"):
        jvp(lambda x: torch.ones(2), (X,), (X,), strict=True)


def test_in_place_operations_move_tangents():
    def changed(x):
        y = x.clone()
        y.mul_(x)
        y[0] = x[2] * 4
        y[1:].add_(x[0])
        return y

    slope = jvp(changed, (X,), (torch.tensor([1.0, 0.0, 2.0]),))[1]
    assert slope.tolist() == [8, 1, 13]


def test_jvp_of_jumps_and_integers():
    assert jvp(lambda x: (x > 1.5).float() + x.round(), (X,), (X,))[1].tolist() == [0, 0, 0]
    assert jvp(lambda x: x.argmax(), (X,), (X,))[1].tolist() == 0


@pytest.mark.parametrize(
    ("primals", "tangents", "error", "words"),
    [
        (X, X, RuntimeError, "Expected primals to be a tuple"),
        ((X,), (X, X), RuntimeError, "Expected primals and tangents to have the same python structure"),
        ((), (), RuntimeError, "Expected primals to contain at least one Tensor"),
        ((3,), (3,), RuntimeError, "Expected primals to only contain Tensors, got <class 'int'>"),
        ((X,), (torch.ones(4),), RuntimeError, "forward gradient that has a different size"),
        ((torch.arange(3),), (torch.arange(3),), ValueError, "Expected primal to be floating point or complex"),
        ((X,), (torch.arange(3),), ValueError, "Expected tangent to be floating point or complex"),
    ],
)
def test_jvp_refuses_in_torchs_words(primals, tangents, error, words):
    with pytest.raises(error, match=words):
        jvp(lambda *x: x[0], primals, tangents)


def test_jvp_wants_tensors_of_its_function():
    with pytest.raises(RuntimeError, match="to return only tensors, got unsupported type <class 'int'>"):
        jvp(lambda x: 3, (X,), (X,))


def test_linearize_gives_a_linear_function():
    output, slope = linearize(lambda x, y: x * y, X, X * 2)
    assert output.tolist() == [2, 8, 18]
    assert slope(torch.ones(3), torch.zeros(3)).tolist() == [2, 4, 6]
    with pytest.raises(RuntimeError, match=r"tangent:0 with shape torch.Size\(\[4\]\) in flattened pytree"):
        slope(torch.ones(4), torch.ones(3))
    with pytest.raises(RuntimeError, match=r"tangent:1 with dtype torch.float64"):
        slope(torch.ones(3), torch.ones(3).double())
    with pytest.raises(RuntimeError, match="to have the same argspec as the primals"):
        slope(torch.ones(3))


def test_linearize_calls_its_function_once():
    seen = []
    output, slope = linearize(lambda x: (seen.append(len(seen)), {"sum": x.sin().sum(), "first": x.argmax()})[1], X)
    assert sorted(output) == ["first", "sum"]
    assert slope(torch.ones(3))["sum"].item() == pytest.approx(X.cos().sum().item())
    assert slope(2 * X)["sum"].item() == pytest.approx((2 * X * X.cos()).sum().item())
    assert slope(X)["first"].item() == 0 and slope(X)["first"].dtype is torch.int64
    assert seen == [0]


def test_what_is_linearized_maps_and_differentiates():
    _, slope = linearize(lambda x: x**2, X)
    assert torch.vmap(slope)(torch.eye(3)).tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]]
    assert grad(lambda x: linearize(lambda x: x**3, x)[1](torch.ones(3)).sum())(X).tolist() == [6, 12, 18]


def test_products_move_with_each_factor_and_with_what_is_added():
    w, b = torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]]), torch.tensor([10.0, 20.0])
    linear = torch.nn.functional.linear
    slope = jvp(lambda x, w, b: linear(x, w, b), (X, w, b), (torch.ones(3), torch.ones(2, 3), torch.ones(2)))[1]
    assert slope.tolist() == [6 + 6 + 1, 1 + 6 + 1]
    assert jvp(lambda b: linear(X, w, b), (b,), (torch.ones(2),))[1].tolist() == [1, 1]
    assert jvp(lambda x: x @ w.T * 2, (X,), (torch.ones(3),))[1].tolist() == [12, 2]
    assert jvp(lambda x: 3 * x * x, (X,), (torch.ones(3),))[1].tolist() == [6, 12, 18]


def test_what_goes_into_jvp_and_comes_out_of_it_is_an_alias():
    x = torch.ones(2, requires_grad=True)
    value, _ = jvp(torch.sin, (x,), (torch.ones(2),))
    (inner, _), *_ = value.grad_fn.next_functions
    (given, _), *_ = inner.next_functions
    assert [each.name() for each in (value.grad_fn, inner, given)] == [
        "AliasBackward0", "SinBackward0", "AliasBackward0",
    ]  # fmt: skip
    value.sum().backward()
    assert torch.equal(x.grad, x.detach().cos())
    constant = torch.ones(2)
    assert jvp(lambda x: constant, (x,), (torch.ones(2),))[0]._is_view()
