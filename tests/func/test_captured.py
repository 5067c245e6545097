"""Writes inside of transforms: to what was there before they are refused, to what was made inside they are recorded."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.func import grad, jvp, vmap

X = torch.tensor([1.0, 2.0, 3.0])

WRITES = {
    "add_": lambda c: c.add_(1),
    "operator": lambda c: c.__imul__(2),
    "number": lambda c: c.__setitem__(0, 1.0),
    "positions": lambda c: c.__setitem__([0, 2], 1.0),
    "mask": lambda c: c.__setitem__(c > 0, 1.0),
    "a part": lambda c: c[:2].mul_(2),
    "data": lambda c: c.data.mul_(2),
    "detached": lambda c: c.detach().mul_(2),
    "detach_": lambda c: c.detach_(),
    "copy_": lambda c: c.copy_(torch.zeros(3)),
    "fill_": lambda c: c.fill_(3),
    "zero_": lambda c: c.zero_(),
    "uniform_": lambda c: c.uniform_(),
    "resize_": lambda c: c.resize_(2),
    "unsqueeze_": lambda c: c.unsqueeze_(0),
    "index_put_": lambda c: c.index_put_((torch.tensor([0]),), torch.ones(1)),
    "scatter_": lambda c: c.scatter_(0, torch.tensor([0]), torch.ones(1)),
    "inplace": lambda c: torch.nn.functional.relu(c, inplace=True),
}
TRANSFORMS = {
    "grad": lambda body: grad(lambda x: (body(), x.sum())[1])(X),
    "jvp": lambda body: jvp(lambda x: (body(), x * 2)[1], (X,), (X,)),
    "vmap of grad": lambda body: vmap(grad(lambda x: (body(), x.sum())[1]))(X.expand(2, 3)),
    "grad of grad": lambda body: grad(lambda x: grad(lambda y: (body(), (x * y).sum())[1])(x).sum())(X),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_a_captured_tensor_is_not_written_to(transform, write):
    kept = torch.ones(3)
    with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
        transform(lambda: write(kept))
    assert kept.tolist() == [1, 1, 1]
    # once more outside, where nobody minds
    write(kept)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_what_was_made_inside_is_written_to(transform, write):
    if transform is TRANSFORMS["vmap of grad"] and write is WRITES["uniform_"]:
        pytest.skip("vmap refuses random numbers that all samples share")
    kept = torch.ones(3)
    transform(lambda: (write(kept.clone()), write(kept * 1), write(torch.ones(3))))
    assert kept.tolist() == [1, 1, 1]


def test_what_an_outer_transform_has_is_captured_by_the_inner_one():
    with pytest.raises(RuntimeError, match="would mutate a captured Tensor"):
        grad(lambda x: grad(lambda y: (x * 1).sum() * x.mul_(2).sum() * y.sum())(x).sum())(X)


def test_writes_to_a_copy_of_a_captured_tensor_have_a_gradient():
    kept = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

    def function(x):
        rows = kept.clone()
        rows[0] = x * 2
        rows[1, 1:].mul_(x[1:])
        rows.diagonal().add_(x[0])
        return (rows * rows).sum()

    wanted = X.clone().requires_grad_()
    function(wanted).backward()
    assert grad(function)(X).tolist() == wanted.grad.tolist()
    assert jvp(function, (X,), (torch.ones(3),))[1].item() == wanted.grad.sum().item()
    assert kept.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_a_tangent_that_differs_from_sample_to_sample_is_written():
    def function(x, y):
        rows = y.clone()
        rows[-1] = x
        return (rows * rows).sum() + (x * x).sum()

    assert torch.func.jacfwd(function)(X, torch.ones(3, 3)).tolist() == [4, 8, 12]
    found = jvp(lambda x: torch.func.jacfwd(function)(x, torch.ones(3, 3)), (X,), (X,))
    assert [each.tolist() for each in found] == [[4, 8, 12], [4, 8, 12]]


def rewritten(x, y):
    """Rows of a copy are written, through views of it."""
    rows = y.clone()
    rows[-1] = x
    rows[0] = x * 2
    return (rows * rows).sum()


Y, XS, YS = torch.ones(3, 3), X.expand(2, 3), torch.ones(2, 3, 3)
SLOPE, MOVED = [10, 20, 30], 140
moved = lambda function, *points: jvp(function, points, points)[1]
NESTED = {
    "jvp": (lambda: moved(lambda x: rewritten(x, Y), X), MOVED),
    "vmap of jvp": (lambda: vmap(lambda x, y: moved(lambda x: rewritten(x, y), x))(XS, YS), [MOVED] * 2),
    "jvp of captured": (lambda: vmap(lambda y: moved(lambda x: rewritten(x, y), X))(YS), [MOVED] * 2),
    "vmap of jacfwd": (lambda: vmap(torch.func.jacfwd(rewritten))(XS, YS), [SLOPE] * 2),
    "jvp of jvp": (lambda: moved(lambda x, y: moved(lambda x: rewritten(x, y), x), X, Y), 2 * MOVED),
    "grad of jvp": (lambda: grad(lambda x, y: moved(lambda x: rewritten(x, y), x))(X, Y), [20, 40, 60]),
    "jvp of grad": (lambda: moved(lambda x, y: grad(rewritten)(x, y), X, Y), SLOPE),
    "vmap of grad": (lambda: vmap(grad(rewritten))(XS, YS), [SLOPE] * 2),
    "grad of vmap": (lambda: grad(lambda x: vmap(rewritten, in_dims=(None, 0))(x, YS).sum())(X), [20, 40, 60]),
    "grad of vmap of both": (lambda: grad(lambda x: vmap(rewritten)(x.expand(2, 3), x.expand(2, 3, 3)).sum())(X),
                             [24, 48, 72]),
    "hessian": (lambda: torch.func.hessian(rewritten)(X, Y), [[10, 0, 0], [0, 10, 0], [0, 0, 10]]),
    "grad of the copied": (lambda: grad(rewritten, argnums=1)(X, Y), [[0, 0, 0], [2, 2, 2], [0, 0, 0]]),
}  # fmt: skip


@pytest.mark.parametrize(("function", "expected"), NESTED.values(), ids=NESTED)
def test_writes_through_views_inside_of_nested_transforms(function, expected):
    assert function().tolist() == expected


def test_running_statistics_are_moved_inside_of_a_gradient():
    normalize = torch.nn.functional.batch_norm
    mean, variance, x = torch.zeros(3), torch.ones(3), torch.arange(6.0).reshape(2, 3)
    grad(lambda x: normalize(x, mean, variance, training=True).pow(3).sum())(x)
    expected = torch.zeros(3), torch.ones(3)
    normalize(x, *expected, training=True)
    assert mean.tolist() == expected[0].tolist() and variance.tolist() == expected[1].tolist()


def test_recording_is_not_switched_inside():
    kept = torch.ones(3)
    with pytest.raises(RuntimeError, match=r"You are attempting to call Tensor.requires_grad_\(\)"):
        grad(lambda x: (kept.requires_grad_() * x).sum())(X)


@pytest.mark.parametrize(
    "function",
    [
        lambda v: v + 0,
        lambda v: v - torch.ones(3),
        lambda v: torch.addcmul(v, torch.ones(3), torch.ones(3)),
        lambda v: torch.zeros_like(v).copy_(v),
        lambda v: v.sum(0, keepdim=True).expand(3) + 0,
    ],
)
@pytest.mark.parametrize("mapped", [False, True])
def test_a_write_to_a_result_leaves_the_tangent_of_its_input_alone(function, mapped):
    def written(v):
        result = function(v)
        result[1:] += v[:2]
        return result.mul_(3)

    x, tangent = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 10.0, 100.0])

    def slope(x, tangent):
        return torch.func.jvp(written, (x,), (tangent,))[1]

    found = torch.vmap(slope)(x[None], tangent[None])[0] if mapped else slope(x, tangent)
    assert tangent.tolist() == [1, 10, 100]
    alone = torch.func.jvp(function, (x,), (torch.tensor([1.0, 10.0, 100.0]),))[1]
    assert found.tolist() == [3 * alone[0], 3 * (alone[1] + 1), 3 * (alone[2] + 10)]


@pytest.mark.parametrize(
    ("randomness", "words"), [("error", "randomness error mode"), ("different", "unbatched tensor")]
)
def test_random_numbers_are_not_written_to_what_all_samples_share(randomness, words):
    with pytest.raises(RuntimeError, match=words):
        vmap(lambda x: x + torch.empty(3).uniform_(), randomness=randomness)(torch.ones(2, 3))
    same = vmap(lambda x: x + torch.empty(3).uniform_(), randomness="same")(torch.ones(2, 3))
    assert same[0].tolist() == same[1].tolist()


def test_a_tangent_that_is_written_has_the_dtype_of_its_target():
    def function(x):
        table = torch.ones(3, 3)
        table.diagonal().add_(x)
        return table

    x = torch.ones(3, dtype=torch.float64)
    assert jvp(function, (x,), (x * 2,))[1].tolist() == [[2, 0, 0], [0, 2, 0], [0, 0, 2]]


def test_a_backward_after_the_function_has_ended_writes_to_what_was_there_before():
    total = torch.zeros(3)

    class Counted(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, slope):
            return total.add_(slope)

    back = torch.func.vjp(Counted.apply, torch.ones(3))[1]
    assert back(torch.ones(3))[0].tolist() == total.tolist() == [1, 1, 1]
    with pytest.raises(RuntimeError, match="captured Tensor"):
        grad(lambda x: Counted.apply(x).sum())(torch.ones(3))
