"""The engine: gradients of every shape of graph, accumulated, captured, freed and of any order."""

import gc
import threading
import weakref

import numpy as np
import pytest

import rushlight as torch


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def test_gradients_of_a_diamond_are_summed():
    x = leaf(2.0)
    y = x * 3
    (y * y + y).backward()
    assert x.grad.item() == 3 * (2 * 6 + 1)


def test_broadcast_gradients_are_summed_to_the_input_shape():
    a = torch.ones(3, 1, requires_grad=True)
    b = torch.ones(4, requires_grad=True)
    c = torch.tensor(2.0, requires_grad=True)
    (a * b * c).sum().backward()
    assert a.grad.shape == (3, 1) and a.grad.tolist() == [[8.0]] * 3
    assert b.grad.tolist() == [6.0] * 4
    assert c.grad.item() == 12


def test_many_leaves_and_outputs_get_their_gradients():
    leaves = [leaf(float(i), 1.0) for i in range(30)]
    nodes = [(each * i).unbind() for i, each in enumerate(leaves)]
    sum(one * 2 + other for one, other in nodes).backward()
    assert [each.grad.tolist() for each in leaves] == [[2.0 * i, float(i)] for i in range(30)]


def test_the_line_that_freed_a_graph_is_named():
    x = leaf(2.0, 3.0)
    y = (x * x).sum()
    node = y.grad_fn.next_functions[0][0]
    assert node.freed is None
    y.backward()
    (code, _), number = node.freed
    assert code.co_name == "test_the_line_that_freed_a_graph_is_named" and number > node.number
    with pytest.raises(RuntimeError, match=r"its values were freed by the backward at .*test_engine\.py"):
        y.backward()


def test_gradient_has_the_dtype_of_its_input():
    a = torch.ones(3, requires_grad=True)
    b = torch.ones(3, dtype=torch.float64, requires_grad=True)
    (a * b).sum().backward()
    assert a.grad.dtype is torch.float32
    assert b.grad.dtype is torch.float64


def test_two_leaves_never_share_a_gradient():
    a, b = leaf(1.0), leaf(1.0)
    (a + b).backward()
    a.grad.zero_()
    assert b.grad.item() == 1


def test_the_given_gradient_is_not_kept_by_the_leaf():
    x, seed = leaf(1.0, 2.0), torch.ones(2)
    (x + 0).backward(seed)
    seed.zero_()
    assert x.grad.tolist() == [1.0, 1.0]


def test_backward_of_a_vector_needs_a_gradient():
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (leaf(1.0, 2.0) * 2).backward()


def test_gradient_of_the_wrong_shape_is_refused():
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (leaf(1.0, 2.0) * 2).backward(torch.ones(3))


def test_grad_returns_and_leaves_nothing_behind():
    x, y = leaf(3.0), leaf(5.0)
    gx, gy = torch.autograd.grad(x * y, (x, y))
    assert (gx.item(), gy.item()) == (5, 3)
    assert x.grad is None and y.grad is None


def test_grad_of_an_intermediate():
    x = leaf(3.0)
    y = x * 2
    (g,) = torch.autograd.grad(y * y, y)
    assert g.item() == 12


def test_grad_of_unused_inputs():
    x, y = leaf(3.0), leaf(5.0)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        torch.autograd.grad(x * 2, [x, y])
    assert torch.autograd.grad(x * 2, [x, y], allow_unused=True)[1] is None
    assert torch.autograd.grad(x * 2, [x, y], materialize_grads=True)[1].item() == 0


def test_grad_runs_only_what_leads_to_the_inputs():
    x, y = leaf(1.0), leaf(1.0)
    seen = []
    z = y * 2
    z.register_hook(lambda grad: seen.append(grad))
    torch.autograd.grad(x * 2 + z, x)
    assert seen == []


def test_batched_gradients():
    x = leaf(1.0, 2.0)
    (found,) = torch.autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)
    assert found.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_backward_into_chosen_inputs():
    x, y = leaf(2.0), leaf(3.0)
    (x * y).backward(inputs=[x])
    assert x.grad.item() == 3
    assert y.grad is None


def test_third_derivative():
    x = leaf(2.0)
    value = x**4
    for expected in (32.0, 48.0, 48.0):
        (value,) = torch.autograd.grad(value, x, create_graph=True)
        assert value.item() == expected


def test_create_graph_accumulates_a_differentiable_gradient():
    x = leaf(2.0)
    with pytest.warns(UserWarning, match="reference cycle"):
        (x**3).backward(create_graph=True)
    assert x.grad.requires_grad
    (g,) = torch.autograd.grad(x.grad, x)
    assert g.item() == 12


def test_gradient_through_a_saved_result():
    x = leaf(0.3)
    (first,) = torch.autograd.grad(x.tanh(), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    t = np.tanh(np.float32(0.3))
    assert second.item() == pytest.approx(-2 * t * (1 - t * t), rel=1e-5)


def test_a_chain_of_a_million_nodes_runs_and_is_freed_without_the_collector():
    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0)
        y = x
        for _ in range(1_000_000):
            y = y + 1.0
        node = weakref.ref(y.grad_fn)
        y.backward()
        assert x.grad.item() == 1
        del y
        assert node() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("name", ["tanh", "exp", "sigmoid", "relu", "abs"])
def test_no_op_keeps_its_graph_alive_in_a_circle(name):
    gc.collect()
    gc.disable()
    try:
        y = getattr(leaf(0.5, 0.2), name)()
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_memory_returns_after_training_steps():
    import tracemalloc

    torch.manual_seed(0)
    w = torch.randn(32, 32, requires_grad=True)
    x = torch.randn(8, 32)

    def step():
        (x @ w).tanh().pow(2).mean().backward()
        with torch.no_grad():
            w.sub_(w.grad, alpha=0.01)
        w.grad = None

    # until Python's own lists of free objects are full
    for _ in range(1000):
        step()
    tracemalloc.start()
    step()
    begin = tracemalloc.get_traced_memory()[0]
    for _ in range(1000):
        step()
    end = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    # the arrays of one step take 20 kB: a single one kept would show
    assert end - begin < 4096


def test_threads_run_backward_at_once():
    shared = torch.ones(4, requires_grad=True)
    grads = []

    def work(number):
        x = torch.full((4,), float(number), requires_grad=True)
        for _ in range(50):
            (x * x * shared).sum().backward()
        grads.append((number, x.grad))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, grad in grads:
        assert grad.tolist() == [2.0 * number * 50] * 4
    assert shared.grad.tolist() == [50.0 * sum(n * n for n in range(4))] * 4


def test_nodes_show_where_they_come_from():
    x = leaf(1.0)
    y = x * 2
    z = y + x
    assert z.grad_fn.name() == "AddBackward0"
    (first, number), (second, _) = z.grad_fn.next_functions
    assert first is y.grad_fn and number == 0
    assert second.name() == "torch::autograd::AccumulateGrad"
    assert second.variable is x
    assert y.grad_fn.next_functions[1] == (None, 0)
    assert z.grad_fn.location.endswith(
        f"test_engine.py:{test_nodes_show_where_they_come_from.__code__.co_firstlineno + 3}"
    )
    z.grad_fn.metadata["note"] = 1
    assert z.grad_fn.metadata == {"note": 1}


def test_saved_values_can_be_looked_at():
    x = leaf(3.0)
    y = x * x
    assert y.grad_fn._saved_self.item() == 3
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn._saved_self  # noqa: B018


def test_complex_gradients_follow_the_conjugate_convention():
    z = torch.tensor([1 + 2j], requires_grad=True)
    (z * z.conj()).real.sum().backward()
    assert z.grad.item() == 2 + 4j
    z.grad = None
    z.abs().sum().backward()
    assert z.grad.item() == pytest.approx((1 + 2j) / 5**0.5, rel=1e-6)


def test_a_real_input_of_a_complex_result_gets_a_real_gradient():
    x = leaf(2.0)
    (x * torch.tensor(1j)).imag.backward()
    assert x.grad.dtype is torch.float32
    assert x.grad.item() == 1
