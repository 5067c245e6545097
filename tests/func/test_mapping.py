"""`vmap`: dims, trees, nesting, in-place operations, chunks and refusals."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.func import debug_unwrap, grad, vmap
from rushlight.nn import functional

ROWS = torch.arange(6.0).reshape(2, 3)


def test_in_dims_and_out_dims():
    assert vmap(torch.dot)(ROWS, ROWS).tolist() == [5, 50]
    assert vmap(torch.dot, in_dims=1)(ROWS, ROWS).tolist() == [9, 17, 29]
    assert vmap(torch.dot, in_dims=(0, None))(ROWS, torch.ones(3)).tolist() == [3, 12]
    assert vmap(lambda x: x * 2, in_dims=-1, out_dims=1)(ROWS).tolist() == (ROWS * 2).tolist()
    found = vmap(lambda tree: {"a": tree["x"] + tree["y"], "b": torch.ones(2)}, in_dims=({"x": 0, "y": None},))
    result = found({"x": ROWS, "y": torch.ones(3)})
    assert result["a"].tolist() == (ROWS + 1).tolist() and result["b"].shape == (2, 2)
    one, two = vmap(lambda x: (x, torch.ones(2)), out_dims=(1, None))(ROWS)
    assert one.shape == (3, 2) and two.shape == (2,)


def test_nesting_and_torch_vmap():
    assert torch.vmap is vmap
    pairs = vmap(vmap(torch.mul, in_dims=(None, 0)), in_dims=(0, None))(torch.arange(3), torch.arange(4))
    assert pairs.tolist() == torch.outer(torch.arange(3), torch.arange(4)).tolist()
    products = vmap(lambda x: vmap(lambda y: x @ y)(ROWS))(ROWS)
    assert products.tolist() == (ROWS @ ROWS.T).tolist()


def test_per_sample_gradients_are_those_one_by_one():
    model = torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2))
    params = dict(model.named_parameters())
    x, y = torch.randn(4, 3), torch.tensor([0, 1, 1, 0])

    def loss(params, x, y):
        return torch.nn.functional.cross_entropy(torch.func.functional_call(model, params, (x,)), y)

    found = vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)
    for place in range(4):
        model.zero_grad()
        torch.nn.functional.cross_entropy(model(x[place]), y[place]).backward()
        for name, each in params.items():
            torch.testing.assert_close(found[name][place], each.grad)


def test_an_ensemble_is_one_call():
    models = [torch.nn.Linear(3, 2) for _ in range(4)]
    params, buffers = torch.func.stack_module_state(models)
    assert buffers == {} and params["weight"].requires_grad
    call = lambda params, x: torch.func.functional_call(models[0], params, (x,))
    x = torch.randn(5, 3)
    found = vmap(call, in_dims=(0, None))(params, x)
    torch.testing.assert_close(found, torch.stack([model(x) for model in models]))
    found.sum().backward()
    assert params["weight"].grad.shape == (4, 2, 3)


def test_stack_module_state_refuses_in_torchs_words():
    linear = torch.nn.Linear(2, 1)
    for models, words in (
        ([], "Expected at least one model, got 0"),
        ([linear, torch.nn.ReLU()], "Expected all models to be of the same class"),
        ([linear, torch.nn.Linear(2, 1).eval()], "Expected all models to have the same training/eval mode"),
    ):
        with pytest.raises(RuntimeError, match=words):
            torch.func.stack_module_state(models)
    frozen = torch.nn.Linear(2, 1).requires_grad_(False)
    with pytest.raises(RuntimeError, match=r"to have the same .requires_grad"):
        torch.func.stack_module_state([linear, frozen])


def test_batch_norms_may_drop_their_running_statistics():
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.ReLU())
    assert torch.func.replace_all_batch_norm_modules_(model) is model
    assert model[0].running_mean is None and not model[0].track_running_stats


def test_in_place_operations_and_views_inside():
    def changed(x):
        y = torch.zeros_like(x)
        y += x
        y[0] = 7
        y[1:].mul_(2)
        y.t_() if y.ndim == 2 else y.unsqueeze_(0).squeeze_(0)
        return y

    assert vmap(changed)(ROWS).tolist() == [[7, 2, 4], [7, 8, 10]]
    kept = ROWS.clone()
    vmap(lambda x: x.add_(1))(kept)
    assert kept.tolist() == (ROWS + 1).tolist()


def test_indices_may_differ_from_sample_to_sample():
    places = torch.tensor([2, 0])
    assert vmap(lambda x, i: x[i])(ROWS, places).tolist() == [2, 3]
    assert vmap(lambda i: ROWS[0][i])(places).tolist() == [2, 0]
    table = torch.randn(4, 3)
    many = torch.tensor([[0, 1], [3, 3]])
    assert vmap(lambda i: table[:, i % 3])(many).shape == (2, 4, 2)
    assert vmap(lambda x, i: x.index_select(0, i))(ROWS, many[:, :1] * 0 + 1).tolist() == [[1], [4]]

    def put(x, i):
        y = x.clone()
        y[i] = -1.0
        return y

    assert vmap(put)(ROWS, places).tolist() == [[0, 1, -1], [-1, 4, 5]]


def test_a_number_for_each_sample_promotes_as_a_number():
    halves = vmap(lambda x, y: x + y)(torch.zeros(2, 3, dtype=torch.float16), torch.ones(2, dtype=torch.float32))
    assert halves.dtype is torch.float16
    assert vmap(lambda x, y: x + y, in_dims=(0, None))(torch.ones(2), torch.ones((), dtype=torch.float64)).dtype is (
        torch.float64
    )


def test_chunks_give_the_same():
    x = torch.randn(7, 3)
    whole = vmap(lambda x: (x.sin(), x.sum()), out_dims=(1, 0))(x)
    parts = vmap(lambda x: (x.sin(), x.sum()), out_dims=(1, 0), chunk_size=3)(x)
    for one, two in zip(whole, parts, strict=True):
        torch.testing.assert_close(one, two)


def test_an_empty_batch():
    assert vmap(lambda x: x + 1)(torch.zeros(0, 3)).shape == (0, 3)
    # which has no word, and would run sample by sample; torch refuses it
    assert vmap(lambda x: x.renorm(2, 0, 1.0))(torch.zeros(0, 3, 2)).shape == (0, 3, 2)


def test_gradients_flow_through_a_batch():
    x = torch.randn(2, 3, requires_grad=True)
    vmap(lambda x: (x * x).sum())(x).sum().backward()
    torch.testing.assert_close(x.grad, 2 * x.detach())


def test_what_a_tensor_inside_shows():
    seen = []
    vmap(lambda x: (seen.append((repr(x), debug_unwrap(x).shape, x.shape, x.ndim)), x)[1])(ROWS)
    text, whole, shape, ndim = seen[0]
    assert text.startswith("BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[0., 1., 2.],\n            [3.")
    assert whole == (2, 3) and shape == (3,) and ndim == 1
    assert debug_unwrap(ROWS) is ROWS


def sign(x):
    return x if x > 0 else -x


def test_control_flow_on_values_is_refused_with_the_line_and_the_fix():
    with pytest.raises(RuntimeError, match="data-dependent control flow") as caught:
        vmap(sign)(torch.ones(3))
    text = str(caught.value)
    assert "test_mapping.py:" in text and "torch.where(condition, a, b)" in text


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: x.sum().item(), r"It looks like you're calling .item\(\) on a Tensor"),
        (lambda x: float(x.sum()), r"It looks like you're calling .item\(\) on a Tensor"),
        (lambda x: x.tolist(), "Cannot access data pointer of Tensor that doesn't have storage"),
        (lambda x: x.numpy(), "Cannot access data pointer of Tensor that doesn't have storage"),
        (lambda x: torch.zeros(3).mul_(x), "vmap: inplace arithmetic"),
        (lambda x: torch.zeros(3).index_add_(0, torch.tensor([0]), x[:1]), "vmap: index_add_.self"),
        (lambda x: x.nonzero(), "operators that can output dynamic shape. Attempted to vmap over aten::nonzero"),
        (lambda x: x[x > 0], "Attempting to batch over indexing with a boolean mask"),
        (lambda x: x + torch.randn(3), "called random operation while in randomness error mode"),
        (lambda x: torch.nn.functional.dropout(x), "called random operation while in randomness error mode"),
        (lambda x: x.normal_(), "called random operation while in randomness error mode"),
    ],
)
def test_what_needs_the_values_is_refused(function, words):
    with pytest.raises(RuntimeError, match=words):
        vmap(function)(ROWS)


def test_what_leaks_out_is_refused():
    kept = []
    vmap(lambda x: (kept.append(x), x)[1])(ROWS)
    with pytest.raises(RuntimeError, match="escaped from inside a function being vmapped"):
        kept[0] + 1


@pytest.mark.parametrize(
    ("options", "args", "error", "words"),
    [
        ({"in_dims": None}, (ROWS,), ValueError, "expected `in_dims` to be int or a .*tuple"),
        ({"in_dims": [0]}, (ROWS,), ValueError, "got: <class 'list'>"),
        ({"in_dims": 2}, (ROWS,), ValueError, "Got in_dim=2 for some input.*dimensionality 2"),
        ({"in_dims": (0, 0)}, (ROWS,), ValueError, "in_dims is not compatible with the structure of `inputs`"),
        ({"in_dims": ("a",)}, (ROWS,), ValueError, "Got in_dim=a for an input but in_dim must be"),
        ({}, (3,), ValueError, "We cannot vmap over non-Tensor arguments"),
        ({}, (ROWS, torch.ones(3)), ValueError, "Expected all tensors to have the same size in the mapped dimension"),
        ({"in_dims": (None,)}, (ROWS,), ValueError, "Expected at least one Tensor to vmap over"),
        ({}, (), ValueError, "got no inputs"),
        ({"out_dims": "a"}, (ROWS,), ValueError, "`out_dims` must be an int, None or a python collection of ints"),
        ({"out_dims": (0, 1)}, (ROWS,), ValueError, "out_dims is not compatible with the structure of `outputs`"),
        ({"out_dims": 5}, (ROWS,), IndexError, "Dimension out of range"),
        ({"out_dims": None}, (ROWS,), ValueError, "can not return a BatchedTensor when out_dim is None"),
    ],
)
def test_dims_are_checked_in_torchs_words(options, args, error, words):
    with pytest.raises(error, match=words):
        vmap(lambda *x: x[0], **options)(*args)


def test_results_must_be_tensors():
    with pytest.raises(ValueError, match="must only return Tensors, got type <class 'int'>"):
        vmap(lambda x: 3)(ROWS)
    with pytest.raises(ValueError, match="chunk_size should be None or greater than 0"):
        vmap(lambda x: x, chunk_size=0)
    with pytest.raises(RuntimeError, match="Only allowed values for randomness are"):
        vmap(lambda x: x, randomness="x")


def test_functionalize_is_refused_with_a_reason():
    with pytest.raises(AttributeError, match="programs are not captured as graphs"):
        _ = torch.func.functionalize


def test_a_table_for_each_sample_keeps_its_padding_out_of_the_gradient():
    tables = torch.randn(2, 4, 3, requires_grad=True)
    look = lambda table, places: torch.nn.functional.embedding(places, table, padding_idx=1)
    places = torch.tensor([[0, 1], [1, 3]])
    vmap(look)(tables, places).sum().backward()
    assert tables.grad.sum(-1).tolist() == [[3, 0, 0, 0], [0, 0, 0, 3]]
    tables.grad = None
    vmap(lambda table, places: torch.nn.functional.embedding(places, table))(tables, places).sum().backward()
    assert tables.grad.sum(-1).tolist() == [[3, 3, 0, 0], [0, 3, 0, 3]]


def test_an_embedding_shortens_the_rows_of_each_table():
    tables = torch.tensor([[[3.0, 4.0], [0.3, 0.4]], [[6.0, 8.0], [0.0, 5.0]]])
    found = vmap(lambda table: torch.nn.functional.embedding(torch.tensor([0]), table, max_norm=1.0))(tables)
    assert torch.allclose(found, torch.tensor([[[0.6, 0.8]], [[0.6, 0.8]]]), atol=1e-4)
    # in the tables themselves, and only what was looked up
    assert torch.allclose(tables[:, 0], found[:, 0]) and tables[1, 1].tolist() == [0, 5]
    slope = grad(lambda table: torch.nn.functional.embedding(torch.tensor([1]), table, max_norm=1.0).pow(2).sum())
    assert torch.allclose(slope(tables[1].clone()), torch.tensor([[0.0, 0.0], [0.0, 2.0]]), atol=1e-4)
    with pytest.raises(RuntimeError, match=r"vmap: embedding_renorm_\(self, \*extra_args\) is not possible"):
        vmap(lambda row: torch.nn.functional.embedding(row, tables[0], max_norm=1.0))(torch.tensor([[0], [1]]))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("options", [{}, {"weight": torch.tensor([1.0, 2.0, 0.5])}, {"ignore_index": 1}])
def test_losses_of_classes_take_a_batch_as_more_rows(reduction, options):
    torch.manual_seed(0)
    logits, classes = torch.randn(4, 5, 3), torch.randint(3, (4, 5))
    classes[0] = 1
    loss = lambda x, y: torch.nn.functional.cross_entropy(x, y, reduction=reduction, **options)
    slope = grad(lambda x, y: loss(x, y).sum())
    for function in (loss, slope):
        rows = torch.stack([function(x, y) for x, y in zip(logits, classes, strict=True)])
        assert torch.allclose(vmap(function)(logits, classes), rows, atol=1e-6, equal_nan=True)
    one = torch.stack([loss(x, y) for x, y in zip(logits[:, 0], classes[:, 0], strict=True)])
    assert torch.allclose(vmap(loss)(logits[:, 0], classes[:, 0]), one, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("chunk_size", [1, 4, 8])
def test_results_of_chunks_have_memory_of_their_own(chunk_size):
    x = torch.zeros(4, 1)
    torch.vmap(lambda v: v.view(-1), chunk_size=chunk_size)(x).add_(1)
    assert x.sum() == 0
    assert torch.vmap(lambda v: v * 2, chunk_size=chunk_size)(torch.zeros(0, 2)).shape == (0, 2)


def refused(function, *batches):
    with pytest.raises((RuntimeError, IndexError)) as alone:
        function(*[each[0] for each in batches])
    with pytest.raises(type(alone.value)) as mapped:
        torch.vmap(function)(*batches)
    assert str(mapped.value)[:8] == str(alone.value)[:8]


@pytest.mark.parametrize(
    "function",
    [
        lambda v: v.softmax(-2),
        lambda v: v.sum(-2),
        lambda v: v.cumsum(-2),
        lambda v: v.squeeze(-2),
        lambda v: v.tril(),
        lambda v: v.roll(1, -2),
        lambda v: torch.cat([v, v], -2),
        lambda v: torch.cdist(v, v),
        lambda v: torch.mm(v, torch.ones(3, 3)),
        lambda v: torch.mv(v, torch.ones(3)),
        lambda v: torch.addmm(v, v, torch.ones(3, 3)),
        lambda v: torch.linalg.det(v),
        lambda v: torch.linalg.inv(v),
        lambda v: torch.linalg.eigvals(v),
        lambda v: functional.pad(v, (1, 1, 1, 1)),
    ],
)
def test_a_sample_with_too_few_dimensions_does_not_take_the_batch_for_one(function):
    refused(function, torch.arange(9.0).reshape(3, 3) + torch.eye(3))


@pytest.mark.parametrize("function", [torch.dot, torch.matmul, torch.bmm, functional.linear])
def test_numbers_are_no_vectors_also_in_a_batch(function):
    refused(function, torch.ones(3), torch.ones(3))


def test_no_sample_takes_elements_that_it_does_not_have():
    with pytest.raises(IndexError):
        torch.vmap(lambda v: torch.take(v, torch.tensor([4])))(torch.ones(3, 3))
    assert torch.vmap(lambda v: torch.take(v, torch.tensor([-1, 0])))(ROWS).tolist() == [[2, 0], [5, 3]]


def test_samples_along_the_first_dimension_are_the_tensor_itself():
    x = torch.ones(2, 3, requires_grad=True)
    assert vmap(lambda v: v)(x) is x
    assert vmap(vmap(lambda v: v.contiguous()))(x) is x
    with torch.no_grad():
        assert vmap(lambda v: v.mul_(2))(x) is x and x._version == 1
    grad(lambda y: vmap(lambda v: v * v)(y).sum())(x.detach()).detach_()  # not a view


@pytest.mark.parametrize(
    "function",
    [
        lambda v, other: torch.where(other > 0, v, other),
        lambda v, other: torch.addcmul(other, v, other),
        lambda v, other: torch.clamp(other, v, v),
    ],
)
def test_mapped_numbers_count_as_tensors_in_the_dtype_of_ops_of_three(function):
    numbers, other = torch.ones(1, dtype=torch.float64), torch.ones(2)
    assert vmap(lambda v: function(v, other))(numbers).dtype is torch.float64
    assert vmap(lambda v: v * other)(numbers).dtype is torch.float32


def test_item_of_a_sample_of_several_elements_is_refused_in_the_words_of_vmap():
    with pytest.raises(RuntimeError, match=r"^vmap: It looks like you're calling .item\(\) on a Tensor\."):
        vmap(lambda v: v.item())(ROWS)
    with pytest.raises(RuntimeError, match=r"^a Tensor with 3 elements cannot be converted to Scalar"):
        grad(lambda v: v.item() * v.sum())(torch.ones(3))


def test_numbers_of_a_batch_put_along_the_last_dimension_are_no_view():
    for found in (
        vmap(lambda v: v.norm(), out_dims=-1)(ROWS),
        vmap(lambda v: v.exp(), in_dims=-1, out_dims=-1)(ROWS[0]),
    ):
        assert not found._is_view()
        found.detach_()
    assert vmap(lambda v: v.exp(), out_dims=-1)(ROWS)._is_view()


def test_a_backward_to_mapped_layers_leaves_them_whole():
    layers = [torch.nn.Linear(3, 2) for _ in range(2)]
    stacked, _ = torch.func.stack_module_state(layers)
    rows = torch.ones(2, 3)
    found = vmap(lambda table: torch.func.functional_call(layers[0], table, (rows,)))(stacked)
    assert found.grad_fn.name() == "AddBackward0"
    found.sum().backward(inputs=[found])
    found.sum().backward()
    assert stacked["weight"].grad.shape == (2, 2, 3)
