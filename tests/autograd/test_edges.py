"""What `backward` and `grad` start from and end at: tensors, dictionaries of them, and edges of the graph."""

import collections

import pytest

import rushlight as torch
from rushlight.autograd.graph import GradientEdge, get_gradient_edge


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0], requires_grad=True)


def test_an_input_given_twice_counts_once(x):
    (x * 3).sum().backward(inputs=[x, x])
    assert x.grad.tolist() == [3.0, 3.0]
    one, other = torch.autograd.grad((x * 3).sum(), [x, x])
    assert one.tolist() == other.tolist() == [3.0, 3.0]


def test_an_input_that_is_no_leaf_retains_its_gradient(x):
    y = x * 3
    loss = (y * y).sum()
    loss.backward(inputs=[y], retain_graph=True)
    assert y.retains_grad and y.grad.tolist() == [6.0, 12.0] and x.grad is None
    loss.backward()
    assert y.grad.tolist() == [12.0, 24.0]


def test_hooks_of_an_input_run_as_without_inputs(x):
    seen = []
    y = x * 2
    y.grad_fn.register_prehook(lambda grads: seen.append(grads[0].tolist()))
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append(inputs))
    y.sum().backward(inputs=[y])
    assert seen == [[1.0, 1.0], (None, None)]


def test_inputs_in_a_dictionary_give_gradients_in_a_dictionary(x):
    y = torch.ones(2, requires_grad=True)
    found = torch.autograd.grad((x * 2).sum(), {"x": x, "y": y}, materialize_grads=True)
    assert {name: each.tolist() for name, each in found.items()} == {"x": [2.0, 2.0], "y": [0.0, 0.0]}
    torch.autograd.backward((x * y).sum(), inputs={"x": x})
    assert x.grad.tolist() == [1.0, 1.0] and y.grad is None


def test_no_inputs_are_refused(x):
    for none in ([], {}):
        with pytest.raises(RuntimeError, match=r"`inputs` argument to `grad\(\)` cannot be empty"):
            torch.autograd.grad(x.sum(), none)
        with pytest.raises(RuntimeError, match=r"`inputs` argument to `backward\(\)` cannot be empty"):
            x.sum().backward(inputs=none)


def test_inputs_that_are_no_tensors_are_refused(x):
    with pytest.raises(RuntimeError, match="all inputs have to be Tensors or GradientEdges, but got int"):
        torch.autograd.grad(x.sum(), [1])
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        x.sum().backward(inputs=[torch.ones(2)])
    with pytest.raises(AssertionError, match=r"Expected output to be a torch.Tensor"):
        torch.autograd.backward([3])


def test_a_node_is_no_edge(x):
    y = x * 2
    for function in (torch.autograd.grad, torch.autograd.backward):
        with pytest.raises(TypeError, match="'MulBackward0' object is not iterable"):
            function(y.sum(), inputs=y.grad_fn)
        with pytest.raises(RuntimeError, match="all inputs have to be Tensors or GradientEdges, but got MulBackward0"):
            function(y.sum(), inputs=[y.grad_fn])
    assert torch.autograd.grad(y.sum(), GradientEdge(y.grad_fn, 0))[0].tolist() == [1.0, 1.0]


def test_an_input_that_was_not_used_is_named_by_its_place(x):
    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 1 appears to not have been used"):
        torch.autograd.grad(x.sum(), [x, torch.ones(2, requires_grad=True)])


def test_an_edge_stands_for_its_tensor(x):
    y = x * 2
    loss = (y * y).sum()
    edges = [get_gradient_edge(y), get_gradient_edge(x)]
    assert [type(each.node).__name__ for each in edges] == ["MulBackward0", "AccumulateGrad"]
    found = torch.autograd.grad(loss, edges, retain_graph=True)
    assert [each.tolist() for each in found] == [[4.0, 8.0], [8.0, 16.0]]
    torch.autograd.backward(get_gradient_edge(loss), inputs=[edges[1]])
    assert x.grad.tolist() == [8.0, 16.0]


def test_an_edge_has_no_zeros(x):
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        torch.autograd.grad(x.sum(), [get_gradient_edge(x * 2)], materialize_grads=True)
    with pytest.raises(RuntimeError, match="It is not possible to get the gradient edge for a Tensor that does not"):
        get_gradient_edge(torch.ones(2))


def test_old_arguments_are_warned_of(x):
    with pytest.warns(FutureWarning, match="`grad_variables` is deprecated"):
        torch.autograd.backward(x.sum(), grad_variables=torch.tensor(2.0))
    assert x.grad.tolist() == [2.0, 2.0]
    with (
        pytest.warns(FutureWarning, match="`grad_variables` is deprecated"),
        pytest.raises(RuntimeError, match="arguments both passed to"),
    ):
        torch.autograd.backward(x.sum(), torch.ones(()), grad_variables=torch.tensor(2.0))
    with pytest.warns(FutureWarning, match="only_inputs argument is deprecated"):
        torch.autograd.grad(x.sum(), x, only_inputs=False)


def test_a_dictionary_of_inputs_is_a_plain_one():
    x = torch.ones(2, requires_grad=True)
    for function in (torch.autograd.grad, torch.autograd.backward):
        with pytest.raises(TypeError, match=rf"`inputs` argument to `{function.__name__}\(\)` must be a dict, not"):
            function(x.sum(), inputs=collections.OrderedDict(x=x))
    with pytest.raises(AssertionError, match=r"Expected output to be a torch\.Tensor"):
        torch.autograd.grad({"x": x.sum()}, x)


def test_zeros_for_what_was_not_used_can_be_differentiated_where_the_others_can():
    x, y = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    for recorded in (False, True):
        _, zeros = torch.autograd.grad(x.exp().sum(), (x, y), create_graph=recorded, materialize_grads=True)
        assert zeros.tolist() == [0.0] * 3 and zeros.requires_grad is recorded and zeros.is_leaf


def test_a_view_made_in_inference_mode_of_a_leaf_has_no_edge():
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        view = x[:1]
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        get_gradient_edge(view)


def test_gradients_beyond_the_last_output_are_not_looked_at(x):
    one, surplus = torch.ones(2), torch.ones(7)
    assert torch.autograd.grad(x * 3, x, [one, surplus])[0].tolist() == [3.0, 3.0]
    torch.autograd.backward(x * 3, [one, surplus])
    assert x.grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        torch.autograd.grad([x * 3, x * 2], x, [one])


def test_a_batch_of_gradients_has_rows_of_the_outputs_shape(x):
    rows = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    assert torch.autograd.grad(x * 3, x, [rows, rows], is_grads_batched=True)[0].tolist() == (rows * 3).tolist()
    with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first dimension"):
        torch.autograd.grad(x * 3, x, torch.ones(3, 5), is_grads_batched=True)


def test_a_node_that_is_called_gives_the_gradient_of_a_single_input_by_itself():
    a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    total, product = a.sum(), a * b
    assert total.grad_fn(torch.tensor(2.0)).tolist() == [2, 2]
    assert total.grad_fn(None) is None
    assert [each.tolist() for each in product.grad_fn(torch.ones(2))] == [[3, 4], [1, 2]]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: torch.nn.Linear(2, 2)(x), "ViewBackward0"),
        (lambda x: torch.nn.Linear(2, 2, bias=False)(x), "SqueezeBackward4"),
        (lambda x: torch.nn.Linear(2, 2)(x.expand(3, 4, 2).contiguous()), "ViewBackward0"),
        (lambda x: x @ torch.ones(2, 2), "SqueezeBackward4"),
        (lambda x: torch.nn.GRUCell(2, 2)(x[None]), "AddBackward0"),
        (torch.nn.functional.tanhshrink, "SubBackward0"),
        (lambda x: torch.nn.functional.l1_loss(x, x * 2), "MeanBackward0"),
        (lambda x: torch.distributions.Normal(x, 1.0).log_prob(x), "SubBackward0"),
        (lambda x: torch.distributions.Bernoulli(logits=x).log_prob(torch.ones(2)), "NegBackward0"),
    ],
)
def test_a_backward_that_ends_where_torchs_last_step_saves_nothing_frees_nothing(x, function, name):
    y = function(x)
    assert y.grad_fn.name() == name
    y.backward(torch.ones_like(y), inputs=[y])
    y.sum().backward()
    assert x.grad is not None
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.sum().backward()


@pytest.mark.parametrize("function", [lambda x: torch.nn.Linear(2, 2)(x[None]), torch.sigmoid, lambda x: x.dot(x)])
def test_a_backward_that_ends_in_one_step_frees_what_that_saved(x, function):
    y = function(x)
    y.backward(torch.ones_like(y), inputs=[y])
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.sum().backward()


def test_a_backward_that_goes_on_behind_a_last_step_frees_it(x):
    y = torch.nn.Linear(2, 2)(x)
    y.backward(torch.ones(2), inputs=[y, x])
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.sum().backward()
