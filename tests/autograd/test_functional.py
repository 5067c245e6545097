"""Functional derivatives: values, and what is refused."""

import pytest

import rushlight as torch
from rushlight.autograd import functional

X, V = torch.tensor([1.0, 2.0]), torch.ones(2)
NAMES = ["jacobian", "vjp", "jvp", "hessian", "hvp", "vhp"]


def vector(name):
    return {"jacobian": (), "hessian": (), "vjp": (torch.ones(()),)}.get(name, (V,))


def test_jacobian_and_hessian():
    x = torch.tensor([1.0, 2.0])
    assert functional.jacobian(lambda x: x**2, x).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    pair = functional.jacobian(lambda a, b: a * b, (x, x * 3))
    assert pair[0].tolist() == [[3.0, 0.0], [0.0, 6.0]]
    assert functional.hessian(lambda x: (x**3).sum(), x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    blocks = functional.hessian(lambda a, b: (a * b).sum(), (x, x))
    assert blocks[0][1].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_products_with_vectors():
    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
    value, product = functional.vjp(lambda x: x**2, x, v)
    assert value.tolist() == [1.0, 4.0] and product.tolist() == [2.0, -4.0]
    value, product = functional.jvp(lambda x: x**2, x, v)
    assert product.tolist() == [2.0, -4.0]
    value, product = functional.hvp(lambda x: (x**3).sum(), x, v)
    assert value.item() == 9 and product.tolist() == [6.0, -12.0]
    assert functional.vhp(lambda x: (x**3).sum(), x, v)[1].tolist() == [6.0, -12.0]


def test_strict_refuses_independent_outputs():
    with pytest.raises(RuntimeError, match="does not require gradients"):
        functional.jacobian(lambda x: torch.ones(2), torch.ones(2), strict=True)
    assert functional.jacobian(lambda x: torch.ones(2), torch.ones(2)).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_create_graph_through_a_jacobian():
    x = torch.tensor([2.0], requires_grad=True)
    functional.jacobian(lambda x: x**3, x, create_graph=True).sum().backward()
    assert x.grad.item() == 12


@pytest.mark.parametrize("name", NAMES)
def test_inputs_and_outputs_are_tensors(name):
    function = getattr(functional, name)
    with pytest.raises(
        TypeError, match=f"The inputs given to {name} must be either a Tensor or a tuple of Tensors but"
    ):
        function(lambda x: x.sum(), [X], *vector(name))
    with pytest.raises(TypeError, match="but the value at index 1 has type <class 'int'>"):
        function(lambda x, y: x.sum(), (X, 3), *vector(name))
    with pytest.raises(TypeError, match=f"The outputs of the user-provided function given to {name} must be either a"):
        function(lambda x: 3, X, *vector(name))


@pytest.mark.parametrize("name", NAMES)
def test_strict_mode_wants_outputs_that_depend(name):
    function = getattr(functional, name)
    with pytest.raises(RuntimeError, match="Output 0 of the user-provided function does not require gradients"):
        function(lambda x: torch.ones(()), X, *vector(name), strict=True)


@pytest.mark.parametrize("name", ["hessian", "hvp", "vhp"])
def test_strict_mode_wants_second_derivatives(name):
    function = getattr(functional, name)
    with pytest.raises(RuntimeError, match="While computing the hessian, found that the jacobian of the user-provided"):
        function(lambda x: x.sum(), X, *vector(name), strict=True)
    function(lambda x: x.sum(), X, *vector(name))
    with pytest.raises(RuntimeError, match=f"The function given to {name} should return a single Tensor"):
        function(lambda x: (x.sum(), x.sum()), X, *vector(name))
    with pytest.raises(RuntimeError, match="should contain a single element"):
        function(lambda x: x * 2, X, *vector(name))


@pytest.mark.parametrize("name", ["jacobian", "vjp", "jvp"])
def test_strict_mode_wants_a_jacobian_that_depends_if_it_is_differentiated(name):
    function = getattr(functional, name)
    with pytest.raises(RuntimeError, match="jacobian of the user-provided function is independent of input 0"):
        function(lambda x: x.sum(), X, *vector(name), strict=True, create_graph=True)


def test_strict_mode_names_the_input_that_is_not_used():
    with pytest.raises(RuntimeError, match="Output 0 of the user-provided function is independent of input 1"):
        functional.jacobian(lambda x, y: (x**2).sum(), (X, X), strict=True)
    with pytest.raises(RuntimeError, match="Output 1 of the user-provided function is independent of input 1"):
        functional.hessian(lambda x, y: (x**2 * y).sum(), (X, X), strict=True)
    for name in ("vjp", "jvp", "hvp", "vhp"):
        given = torch.ones(()) if name == "vjp" else (V, V)
        with pytest.raises(RuntimeError, match="The output of the user-provided function is independent of input 1"):
            getattr(functional, name)(lambda x, y: (x**2).sum(), (X, X), given, strict=True)


@pytest.mark.parametrize(
    ("v", "words"),
    [
        (None, "The vector v can only be None if the user-provided function returns a single Tensor"),
        (torch.ones(3), r"v has invalid size: should be torch.Size\(\[2\]\) but got torch.Size\(\[3\]\)"),
        ((V, V), "The given v should contain a single Tensor"),
    ],
)
def test_vectors_that_do_not_fit(v, words):
    with pytest.raises(RuntimeError, match=words):
        functional.vjp(lambda x: x * 2, X, v)


def test_vectors_of_tuples_that_do_not_fit():
    with pytest.raises(RuntimeError, match="v is a tuple of invalid length: should be 2 but got 1"):
        functional.jvp(lambda x, y: x * y, (X, X), (V,))
    with pytest.raises(RuntimeError, match="Entry 1 in v has invalid size"):
        functional.jvp(lambda x, y: x * y, (X, X), (V, torch.ones(3)))
    with pytest.raises(
        RuntimeError, match="The vector v can only be None if the input to the user-provided function is"
    ):
        functional.hvp(lambda x: x.sum(), X)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"strategy": "foo"}, AssertionError),
        ({"strategy": "forward-mode"}, NotImplementedError),
        ({"strategy": "forward-mode", "vectorize": True, "create_graph": True}, NotImplementedError),
        ({"strict": True, "vectorize": True}, RuntimeError),
    ],
)
def test_ways_that_do_not_go_together(options, error):
    with pytest.raises(error):
        functional.jacobian(lambda x: x**2, X, **options)


def test_all_ways_give_the_same():
    expected = [[2.0, 0.0], [0.0, 4.0]]
    assert functional.jacobian(lambda x: x**2, X, vectorize=True, strategy="forward-mode").tolist() == expected
    found = functional.hessian(lambda x: (x**3).sum() / 3, X, vectorize=True, outer_jacobian_strategy="forward-mode")
    assert found.tolist() == expected
    with pytest.raises(AssertionError, match="Expected strategy"):
        functional.hessian(lambda x: (x**2).sum(), X, outer_jacobian_strategy="foo")


def test_complex_outputs_have_no_jacobian():
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for real scalar outputs"):
        functional.jacobian(lambda z: z**2, torch.tensor([1 + 2j]))


def test_a_sum_down_to_a_number_has_the_node_of_a_whole_sum():
    x = torch.ones(3, requires_grad=True)
    _, product = functional.jvp(lambda x: (x**3).sum(), x, torch.ones(3), create_graph=True)
    assert product.item() == 9 and product.grad_fn.name() == "SumBackward0"
