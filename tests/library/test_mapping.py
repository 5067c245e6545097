"""Custom functions inside of `vmap`."""

import pytest

import rushlight as torch
from rushlight import Tensor

NAMES = iter(range(100))


def declared(function, rule=None):
    """A custom function that leaves torch for its numbers, with a rule for batches."""
    made = torch.library.custom_op(f"mapped_tests::f{next(NAMES)}", function, mutates_args=())
    if rule is not None:
        made.register_vmap(rule)
    return made


def product(x: Tensor, y: Tensor) -> Tensor:
    return torch.tensor(x.numpy() * y.numpy())


def powers(x: Tensor) -> tuple[Tensor, Tensor]:
    return torch.tensor(x.numpy() ** 2), torch.tensor(x.numpy() ** 3)


def total(xs: list[Tensor], scale: float, *, negative: bool = False) -> Tensor:
    return torch.tensor(sum(each.numpy() for each in xs) * (-scale if negative else scale))


X, Y = torch.arange(6.0).reshape(3, 2), torch.tensor([1.0, 10.0])


def test_the_rule_gets_the_whole_batch_once():
    seen = []

    def rule(info, in_dims, x, y):
        seen.append((info.batch_size, info.randomness, in_dims, x.shape, y.shape))
        return x * y, 0

    function = declared(product, rule)
    assert torch.vmap(function, (0, None))(X, Y).tolist() == (X * Y).tolist()
    assert seen == [(3, "error", (0, None), (3, 2), (2,))]


def test_results_of_a_rule_may_be_batched_along_another_dimension():
    function = declared(powers, lambda info, in_dims, x: ((x.T**2, x**3), (1, 0)))
    squares, cubes = torch.vmap(function)(X)
    assert squares.tolist() == (X**2).tolist() and cubes.tolist() == (X**3).tolist()


def test_lists_and_options_reach_the_rule_as_they_were_given():
    seen = []

    def rule(info, in_dims, xs, scale, *, negative=False):
        seen.append((in_dims, scale, negative))
        return -(xs[0] + xs[1]) * scale, 0

    function = declared(total, rule)
    found = torch.vmap(lambda p, q: function([p, q], 2.0, negative=True), (0, None))(X, Y)
    assert found.tolist() == (-(X + Y) * 2).tolist()
    assert seen == [(([0, None], None), 2.0, True)]


@pytest.mark.parametrize("dims", [(0, None), (None, 0), (0, 0), (1, None)])
def test_without_a_rule_it_runs_sample_by_sample(dims):
    function = declared(product)
    given = [X if dim is not None else torch.tensor(3.0) for dim in dims]
    assert torch.vmap(function, dims)(*given).tolist() == torch.vmap(torch.mul, dims)(*given).tolist()


def test_several_results_are_stacked_each():
    squares, cubes = torch.vmap(declared(powers))(X)
    assert squares.tolist() == (X**2).tolist() and cubes.tolist() == (X**3).tolist()


def test_a_batch_of_batches():
    for rule in (None, lambda info, in_dims, x, y: (x.movedim(in_dims[0] or 0, 0) * y, 0)):
        function = declared(product, rule)
        found = torch.vmap(torch.vmap(function))(X.reshape(3, 1, 2), X.reshape(3, 1, 2))
        assert found.tolist() == (X * X).reshape(3, 1, 2).tolist()


def test_the_overload_and_the_function_of_the_library_know_the_rule():
    function = declared(product)
    calls = []
    torch.library.register_vmap(function, lambda info, in_dims, x, y: (calls.append(1), (x * y, 0))[1])
    namespace, name = function._qualname.split("::")
    assert torch.vmap(getattr(getattr(torch.ops, namespace), name))(X, X).tolist() == (X * X).tolist()
    assert calls == [1]
