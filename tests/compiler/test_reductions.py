"""Reductions at the ends of chains: the sums of eager code, bit for bit, without the array that they sum."""

import gc
import itertools

import pytest

import rushlight as torch
from rushlight import memory
from rushlight.native import extension
from tests.compiler.test_chains import both, same
from tests.fresh import run

pytestmark = pytest.mark.usefixtures("small_chains")


def gradients(function, *leaves):
    """The result of a function and the gradients of its leaves."""
    for leaf in leaves:
        leaf.grad = None
    made = function(*leaves)
    made.sum().backward() if made.dim() else made.backward()
    return [made, *(leaf.grad for leaf in leaves)]


def agree(function, *leaves):
    """A function and its compiled form agree, and so do their gradients."""
    eager = gradients(function, *leaves)
    for one, other in zip(eager, gradients(torch.compile(function), *leaves), strict=True):
        same(one, other)


needs_native = pytest.mark.skipif(extension is None, reason="without native code nothing is fused")


@pytest.mark.parametrize("size", [2, 3, 63, 127, 128, 511, 512, 513, 1023, 1024, 1025, 5000, 65536, 65537, 200_003])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_a_sum_of_every_length(size, dtype):
    torch.manual_seed(size)
    x = (torch.randn(size) * 9).to(dtype)
    both(lambda x: (x * 3 + 1).sum(), x)
    both(lambda x: (x * 3 + 1 > 2).sum(), x)
    if x.is_floating_point():
        both(lambda x: (x * 3 + 1).mean(), x)
        both(lambda x: (x * 3 + 1).tanh().sum(0, keepdim=True), x)


@pytest.mark.parametrize(
    "shape", [(7, 5), (40, 3), (3, 1024), (5, 1025), (2, 3000), (300, 70), (3, 70_000), (2, 3, 4, 5)]
)
def test_sums_over_dims(shape):
    torch.manual_seed(0)
    x, y = torch.randn(shape), torch.randn(shape[-1:])
    last = len(shape) - 1
    for dim, keepdim in itertools.product([None, 0, last, (0, 1), (last - 1, last), (0, last)], [False, True]):
        both(lambda x, dim=dim, keepdim=keepdim: (x * y - 1).sum(dim, keepdim), x)
        both(lambda x, dim=dim, keepdim=keepdim: (x * y - 1).sigmoid().mean(dim, keepdim), x)
    both(lambda x: (x.double() + 1).sum(-1) + (x + 1).sum(-1), x)


@pytest.mark.parametrize("shape", [(6,), (5, 7), (3, 1300), (70_001,)])
def test_gradients_of_sums(shape):
    torch.manual_seed(0)
    x, y = torch.randn(shape, requires_grad=True), torch.randn(shape[-1:], requires_grad=True)
    agree(lambda x, y: (x * y + y).tanh().sum(), x, y)
    agree(lambda x, y: (x * y + y).mean(), x, y)
    agree(lambda x, y: x.sum() + (x - y).sum(), x, y)
    agree(lambda x, y: (x * y).exp().sum(-1) * 2, x, y)
    agree(lambda x, y: (x * y).exp().mean(0, keepdim=True) + x, x, y)
    agree(lambda x, y: ((x - x.mean(-1, keepdim=True)).square().mean(-1, keepdim=True) + 1).sqrt() * y, x, y)
    agree(lambda x, y: (x / (x * x).sum().sqrt() - y).abs().mean(), x, y)


def test_gradients_of_operands_that_are_broadcast():
    torch.manual_seed(0)
    x = torch.randn(6, 5, 4, requires_grad=True)
    row, column, middle, one = (torch.randn(shape, requires_grad=True) for shape in ((4,), (6, 1, 1), (5, 1), (1,)))
    agree(lambda x, row: (x * row).tanh().mean(), x, row)
    agree(lambda x, column: (x * column).tanh().sum(), x, column)
    agree(lambda x, middle: (x * middle - middle).exp().mean(), x, middle)
    agree(lambda x, one: (x * one + one).relu().sum(), x, one)
    agree(lambda x, one, column: ((x * one) * column).relu().mean(), x, one, column)


def test_a_sum_outside_of_the_function_ends_its_chain():
    x = torch.randn(3000, requires_grad=True)
    function = torch.compile(lambda x: (x * x + 1).log())
    function(x).mean().backward()
    found, x.grad = x.grad, None
    ((x * x + 1).log()).mean().backward()
    same(found, x.grad)


def test_a_sum_may_be_looked_at_written_to_and_used():
    def function(x):
        total = (x * 2).sum()
        more = (x * 2 + total).sum(0)
        total += 1
        less = (x - 1).mean()
        return torch.stack([total, more, less, less * 2, (x + 1).sum()]) + total.item()

    both(function, torch.randn(50))

    def writes(x):
        total = (x * 2).sum(0, keepdim=True)
        x.zero_()
        total.numpy()[0] += 1
        return total + x

    both(lambda x: writes(x.clone()), torch.randn(50))


def test_gradients_that_are_asked_for():
    x, y = torch.randn(40, requires_grad=True), torch.randn(1, requires_grad=True)

    def slopes(function):
        found = torch.autograd.grad(function(x, y), [x, y])
        again = torch.autograd.grad(function(x, y), [x], create_graph=True)[0]
        return [*found, again, *torch.autograd.grad(again.square().sum(), [x, y])]

    def function(x, y):
        return (x * y + x).exp().mean()

    for one, other in zip(slopes(function), slopes(torch.compile(function)), strict=True):
        same(one, other)


def test_hooks_see_the_gradient_of_a_sum():
    def step(wrap):
        torch.manual_seed(0)
        x, seen = torch.randn(6, requires_grad=True), []

        def forward(x):
            middle = x * 2
            middle.register_hook(lambda grad: seen.append((grad.tolist(), grad.stride())))
            return middle.sum()

        wrap(forward)(x).backward()
        return seen, x.grad.tolist()

    assert step(lambda f: f) == step(torch.compile)


def test_numbers_of_threads_make_no_difference():
    before, found = torch.get_num_threads(), []
    x = torch.randn(300_001, requires_grad=True)
    rows = torch.randn(301, 997, requires_grad=True)
    try:
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            found.append(
                gradients(torch.compile(lambda x: (x * 2 + 1).tanh().mean()), x)
                + gradients(torch.compile(lambda x: (x * 2 + 1).tanh().sum(1)), rows)
            )
    finally:
        torch.set_num_threads(before)
    for others in found[1:]:
        for one, other in zip(found[0], others, strict=True):
            same(one, other)


@needs_native
def test_what_is_summed_is_never_written():
    x = torch.randn(300, 300)
    found = torch._dynamo.explain(lambda x: (x * 2 + 1).tanh().sum())(x)
    assert found.ops_per_graph == [["mul", "add", "tanh", "sum"]] and found.chains[0].kept == 1


@needs_native
def test_what_is_summed_is_not_written_for_its_gradient_either():
    # in a fresh process: where something has hooked several gradients, each backward asks Python first
    step = "lambda x: (x * 2 + 1).tanh().mean().backward()"
    found = f"found = torch._dynamo.explain({step})(torch.randn(300, 300, requires_grad=True))"
    # the mean and the gradient of x are kept
    assert run(f"{found}; print(found.ops_per_graph, found.chains[0].kept)") == (
        "[['mul', 'add', 'tanh', 'mean', 'mean', 'tanh', 'mul']] 2"
    )


@needs_native
def test_memory_is_flat_over_many_sums():
    function = torch.compile(lambda x, y: (x * y + 1).exp().mean())
    x, y = torch.randn(64, requires_grad=True), torch.randn(1, requires_grad=True)

    def used_after(calls):
        for _ in range(calls):
            function(x, y).backward()
            x.grad = y.grad = None
            function(x.detach(), y)
        return memory.used(), len(gc.get_objects())

    gc.collect()
    used_after(50)
    memory_used, objects = used_after(10)
    more_used, more_objects = used_after(1000)
    assert more_used <= memory_used and more_objects <= objects + 100


@pytest.mark.slow
def test_memory_is_flat_over_a_hundred_thousand_calls():
    def function(x, y):
        return (x * y + 1).exp().mean()

    x, y = torch.randn(64, requires_grad=True), torch.randn(1, requires_grad=True)

    def used_after(compilations, calls):
        for _ in range(compilations):
            compiled = torch.compile(function)
            for _ in range(calls // compilations):
                compiled(x, y).backward()
                x.grad = y.grad = None
        return memory.used(), len(gc.get_objects())

    gc.collect()
    used_after(10, 1000)
    memory_used, objects = used_after(10, 1000)
    more_used, more_objects = used_after(1000, 100_000)
    assert more_used <= memory_used and more_objects <= objects + 100
