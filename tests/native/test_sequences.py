"""Recurrent layers and attention: native kernels beside the NumPy bodies, whatever the threads."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.ops.sequences.attention.dot_product import attention
from rushlight.ops.sequences.recurrent.elman import rnn_layer
from rushlight.ops.sequences.recurrent.gru import gru_layer
from rushlight.ops.sequences.recurrent.lstm import lstm_layer

pytestmark = pytest.mark.skipif(extension is None, reason="there is no native code")

LAYERS = {"lstm": (lstm_layer, 4, 2), "gru": (gru_layer, 3, 1), "rnn": (rnn_layer, 1, 1)}


def make(random, dtype):
    return lambda *shape: torch.tensor(random.normal(size=shape).astype(dtype)).requires_grad_()


def tensors_of(kind, shape, batch, size, biases, dtype):
    _, gates, states = LAYERS[kind]
    normal = make(np.random.default_rng(0), dtype)
    found = [normal(*shape), *[normal(batch, size) for _ in range(states)]]
    found += [normal(gates * size, shape[-1]), normal(gates * size, size)]
    return found + [normal(gates * size), normal(gates * size)] * biases


def run(function, tensors, *options):
    """The results and the gradients of all tensors."""
    for each in tensors:
        each.grad = None
    results = function(tensors, *options)
    used = [each for each in results[: 3 if len(results) == 5 else 2 if len(results) == 3 else len(results)]]
    sum((each * (place + 1)).tanh().sum() for place, each in enumerate(used)).backward()
    return [each.detach().numpy() for each in results], [each.grad.numpy().copy() for each in tensors]


def alike(one, two, tolerance):
    for first, second in zip(one[0] + one[1], two[0] + two[1], strict=True):
        # sums of many steps: what cancels is known as closely as what it is made of
        largest = max(1.0, np.abs(second).max(initial=0))
        np.testing.assert_allclose(first, second, rtol=tolerance, atol=tolerance * largest)


@pytest.mark.parametrize("kind", LAYERS)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("shape", "batch", "sizes"),
    [((4, 3, 2), 3, None), ((3, 2), 3, None), ((9, 2), 4, (4, 3, 1, 1)), ((7, 20, 33), 20, None), ((1, 1, 1), 1, None)],
)
def test_layers_are_the_same(kind, backwards, dtype, shape, batch, sizes):
    function = LAYERS[kind][0]
    for biases in (False, True):
        tensors = tensors_of(kind, shape, batch, 5, biases, dtype)
        options = (sizes, backwards) if kind != "rnn" else (sizes, backwards, biases)
        native, plain = run(function, tensors, *options), run(function.__wrapped__, tensors, *options)
        alike(native, plain, 2e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("kind", LAYERS)
def test_bits_of_layers_do_not_depend_on_threads(kind):
    tensors = tensors_of(kind, (20, 50, 32), 50, 64, True, "float32")
    found = []
    for threads in (1, 2, 3):
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            found.append(run(LAYERS[kind][0], tensors, None, False))
        finally:
            torch.set_num_threads(before)
    for other in found[1:]:
        for one, two in zip(found[0][0] + found[0][1], other[0] + other[1], strict=True):
            assert np.array_equal(one, two)


MASKS = {
    "none": lambda rows, columns: {},
    "causal": lambda rows, columns: {"causal": True},
    "allowed": lambda rows, columns: {"allowed": torch.arange(rows * columns).reshape(rows, columns) % 3 > 0},
    "noise": lambda rows, columns: {"noise": torch.rand(2, 3, rows, columns)},
    "causal noise": lambda rows, columns: {"noise": torch.rand(2, 3, rows, columns), "causal": True},
    "blind": lambda rows, columns: {"allowed": torch.zeros(2, 1, 1, columns, dtype=torch.bool)},
}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("lengths", [(5, 5), (1, 7), (70, 33), (33, 100), (64, 64)])
@pytest.mark.parametrize("added", [False, True])
def test_attention_is_the_same(mask, lengths, added):
    normal = make(np.random.default_rng(0), "float32")
    rows, columns = lengths
    tensors = [normal(2, 3, rows, 8), normal(2, columns, 3, 8).detach().transpose(1, 2).requires_grad_()]
    tensors.append(normal(2, 3, columns, 5))
    options = MASKS[mask](rows, columns)
    first = tensors + [normal(rows, columns).detach()] * added

    def run(function):
        output, totals = function(first, scale=0.3, **options)
        grads = torch.autograd.grad((output * torch.arange(5.0)).tanh().sum(), tensors)
        return [output.detach().numpy(), totals.detach().numpy()], [each.numpy() for each in grads]

    alike(run(attention), run(attention.__wrapped__), 3e-5)


def test_a_number_that_is_not_finite_stays_where_it_is():
    query = torch.ones(1, 2, 20, 4)
    query[0, 1, 3, 0] = torch.nan
    found = torch.nn.functional.scaled_dot_product_attention(query, torch.ones_like(query), torch.ones_like(query))
    assert found.isnan().any(-1).nonzero().tolist() == [[0, 1, 3]]
