"""Compiled functions give the numbers of eager ones, bit for bit, whatever happens between their calls."""

import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight import memory, nn
from rushlight.native import extension

pytestmark = pytest.mark.usefixtures("small_chains")


def same(one, other):
    """Values, dtypes, shapes and strides, with equal NaN."""
    assert (one.dtype, one.shape, one.stride()) == (other.dtype, other.shape, other.stride())
    assert one.detach().numpy().tobytes() == other.detach().numpy().tobytes()


def both(function, *args):
    """The results of a function and of its compiled form, which agree."""
    eager, compiled = function(*args), torch.compile(function)(*args)
    same(eager, compiled)
    return eager, compiled


def test_a_chain_of_arithmetic():
    x, y = torch.randn(7, 5), torch.randn(7, 5)
    both(lambda x, y: ((x + y) * x - y).relu(), x, y)
    both(lambda x, y: (x * 2 + 1).exp().log1p() / (y.abs() + 0.5) - x.tanh() ** 2, x, y)


def test_operands_that_are_broadcast_or_lie_otherwise():
    x = torch.randn(6, 4, 5)
    row, column, middle = torch.randn(5), torch.randn(6, 1, 1), torch.randn(4, 1)
    both(lambda x: ((x + row) * column - middle).sigmoid() * x.mean(), x)
    both(lambda x: (x.transpose(0, 2) + 1) * 2 - x.transpose(0, 2), x)
    both(lambda x: (x[:, 1:3] * 2 + x[:, ::2]).relu() + row.expand(6, 2, 5), x)
    both(lambda x: x + x[:1] * 2 + x[:, :, :1], x)


def test_dtypes_that_differ():
    x, whole = torch.randn(9), torch.arange(9)
    both(lambda x, whole: (x > 0) * x + whole - (whole > 3).double() * x, x, whole)
    both(lambda x, whole: torch.where(x > 0, x, whole) * 2 + (whole * 3 - 1), x, whole)
    both(lambda x, whole: ((x.double() + x) * whole).float() - x, x, whole)


def test_half_precision_beside_chains():
    x = torch.randn(40)
    for dtype in (torch.float16, torch.bfloat16):
        both(lambda x, dtype=dtype: (((x * 2).to(dtype) * 3 + 1).relu() * x.to(dtype)).float() * x + 1, x)
        leaf = torch.randn(40, requires_grad=True)
        grads = []
        for wrap in (lambda f: f, torch.compile):
            leaf.grad = None
            wrap(lambda x, dtype=dtype: ((x * 2).to(dtype) * x.to(dtype)).relu().float() * x)(leaf).sum().backward()
            grads.append(leaf.grad)
        same(*grads)


def test_gradients_are_those_of_eager_code():
    def gradients(function, *shapes):
        torch.manual_seed(0)
        leaves = [torch.randn(shape, requires_grad=True) for shape in shapes]
        made = function(*leaves)
        made.backward(torch.randn(made.shape))
        return [made, *(leaf.grad for leaf in leaves)]

    functions = [
        (lambda x, y: ((x + y) * x - y).relu(), (4, 3), (4, 3)),
        (lambda x, y: (x * y).tanh().exp() * x.sigmoid() + y * y, (4, 3), (3,)),
        (lambda x, y: (x @ y).relu() * 2 + (x @ y).sin(), (4, 3), (3, 4)),
        (lambda x, y: (x * 2).clamp(-1, 1) / (y.abs() + 1) + (x * y).sum(1, keepdim=True), (4, 3), (4, 3)),
        (lambda x, y: torch.where(x > y, x * y, x - y).pow(3) * x[:1], (4, 3), (4, 3)),
    ]
    for function, *shapes in functions:
        for eager, compiled in zip(
            gradients(function, *shapes), gradients(torch.compile(function), *shapes), strict=True
        ):
            same(eager, compiled)


def test_gradients_are_added_to_those_that_are_there():
    x = torch.randn(5, requires_grad=True)
    function = torch.compile(lambda x: (x * x + x).exp())
    for _ in range(2):
        function(x).backward(torch.ones(5))
    found, x.grad = x.grad, None
    for _ in range(2):
        ((x * x + x).exp()).backward(torch.ones(5))
    same(found, x.grad)


def test_hooks_see_gradients_and_may_change_them():
    def step(function):
        torch.manual_seed(0)
        x, seen = torch.randn(6, requires_grad=True), []
        x.register_hook(lambda grad: seen.append(grad.tolist()))

        def forward(x):
            middle = x * 2
            middle.register_hook(lambda grad: grad * 3)
            return (middle + 1).relu() * x

        function(forward)(x).backward(torch.ones(6))
        return seen, x.grad

    (seen, eager), (also_seen, compiled) = step(lambda f: f), step(torch.compile)
    assert seen == also_seen
    same(eager, compiled)


def test_second_derivatives():
    x = torch.randn(5, requires_grad=True)

    def curvature(function):
        (slope,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
        return torch.autograd.grad((slope * slope).sum(), x)[0]

    def function(x):
        return (x * x).sin() * x

    same(curvature(function), curvature(torch.compile(function)))


def test_writes_between_calls_come_after_what_was_called_before():
    def writes(x):
        double = x * 2
        x += 1
        more = double + x
        x.mul_(3)
        double[0] = 7
        with torch.no_grad():
            x.zero_()
        return more + double + x

    x = torch.randn(5)
    eager = writes(x.clone())
    same(eager, torch.compile(writes)(x.clone()))


def test_numpy_may_write_to_memory_that_it_shares():
    def writes(x, view):
        double = x * 2
        view += 1
        return double + x

    for share in (lambda x: x.numpy(), lambda x: x.numpy()[1:], lambda x: memoryview(x.numpy())):
        x = torch.arange(4.0)
        seen = np.asarray(share(x))
        eager = writes(x, seen)
        y = torch.arange(4.0)
        same(eager, torch.compile(writes)(y, np.asarray(share(y))))
    array = np.arange(4.0, dtype=np.float32)
    other = array.copy()
    same(writes(torch.from_numpy(array), array), torch.compile(writes)(torch.from_numpy(other), other))


@pytest.mark.skipif(extension is None, reason="without native code nothing is fused")
def test_an_array_that_was_left_to_a_tensor_is_read_in_a_chain():
    def steps(x):
        return len(torch._dynamo.explain(lambda x: (x * 2 + 1).relu())(x).chains[0].steps)

    array = np.arange(4.0, dtype=np.float32)
    # pytest keeps what stands in an assert
    x = torch.from_numpy(array.copy())
    assert steps(x) == 3
    kept = [array, array[:], memoryview(array), weakref.ref(array)]
    for holder in kept:
        x = torch.from_numpy(array)
        assert torch._dynamo.explain(lambda x: x * 2 + 1)(x).ops_per_graph == [["add"]], holder
    left = array.copy()
    x, only = torch.from_numpy(left), weakref.ref(left)
    del left
    # whoever finds the array through it may write
    assert torch._dynamo.explain(lambda x: x * 2 + 1)(x).ops_per_graph == [["add"]] and only() is not None


def test_a_way_to_an_array_that_was_left_to_a_tensor_runs_what_is_pending():
    def writes(x):
        double = x * 2
        x.numpy()[0] = 5
        more = double + x
        ctypes.cast(x.data_ptr(), ctypes.POINTER(ctypes.c_float))[1] = 9
        return more + x

    array = np.arange(4.0, dtype=np.float32)
    same(writes(torch.from_numpy(array.copy())), torch.compile(writes)(torch.from_numpy(array.copy())))


def test_numpy_may_write_to_results():
    def writes(x):
        double = x * 2
        double.numpy()[0] = 5
        more = double + 1
        double.detach().numpy()[1] = 6
        return more + double

    both(writes, torch.arange(4.0))


def test_an_address_that_was_given_away_may_be_written_to():
    def writes(x, address):
        double = x * 2
        ctypes.cast(address, ctypes.POINTER(ctypes.c_float))[0] = 9
        return double + x

    x, y = torch.arange(4.0), torch.arange(4.0)
    same(writes(x, x.data_ptr()), torch.compile(writes)(y, y.data.data_ptr()))


def test_another_thread_may_write():
    def writes(x):
        double = x * 2
        thread = threading.Thread(target=x.add_, args=(1,))
        thread.start()
        thread.join()
        return double + x

    x = torch.randn(5)
    same(writes(x.clone()), torch.compile(writes)(x.clone()))


def test_branches_and_numbers_that_change_between_calls():
    scale = 1.0

    @torch.compile
    def step(x):
        made = x * scale
        return made + 1 if made.sum() > 0 else made - 1

    for scale in (1.0, -2.0, 3):
        for x in (torch.ones(3), torch.full((2, 2), -1.0), torch.ones(4, dtype=torch.float64)):
            made = x * scale
            same(step(x), made + 1 if made.sum() > 0 else made - 1)


def test_side_effects_happen_each_time(capsys):
    seen = []

    @torch.compile
    def step(x):
        double = x * 2
        print(double.tolist())
        seen.append(double + 1)
        return double * 3

    for number in (1.0, 2.0):
        step(torch.full((2,), number))
    assert capsys.readouterr().out == "[2.0, 2.0]\n[4.0, 4.0]\n"
    assert [each.tolist() for each in seen] == [[3.0, 3.0], [5.0, 5.0]]


def test_an_error_in_between_leaves_what_was_called():
    kept = []

    @torch.compile
    def step(x):
        kept.append(x * 2)
        kept.append(kept[0] + torch.ones(7))

    with pytest.raises(RuntimeError, match="must match the size"):
        step(torch.ones(3))
    assert kept[0].tolist() == [2.0, 2.0, 2.0]
    assert not torch.compiler.is_compiling()


def test_random_numbers_are_those_of_eager_code():
    def noisy(x):
        return nn.functional.dropout(x * 2, 0.5) + torch.randn_like(x) * x

    x = torch.randn(50)
    torch.manual_seed(1)
    eager = noisy(x)
    torch.manual_seed(1)
    same(eager, torch.compile(noisy)(x))


def test_transforms_inside_and_outside():
    x = torch.randn(4, 3)
    both(lambda x: torch.vmap(lambda row: row * 2 + (x * 3).sum(0))(x * 2) * x, x)
    inner = torch.compile(lambda row: (row * 2 + 1).exp())
    same(torch.vmap(inner)(x), (x * 2 + 1).exp())
    same(torch.func.grad(lambda x: inner(x).sum())(x), 2 * (x * 2 + 1).exp())


def test_subclasses_modes_and_views_see_their_calls():
    class Mode(torch.overrides.TorchFunctionMode):
        def __init__(self):
            super().__init__()
            self.names = []

        def __torch_function__(self, function, types, args=(), kwargs=None):
            self.names.append(function.__name__)
            return function(*args, **(kwargs or {}))

    class Own(torch.Tensor):
        pass

    x = torch.randn(4).as_subclass(Own)
    with Mode() as mode:
        made = torch.compile(lambda x: (x * 2 + 1).relu())(x)
    assert mode.names == ["mul", "add", "relu"] and type(made) is Own
    assert made.tolist() == (x * 2 + 1).relu().tolist()
    y = torch.compile(lambda x: (x * 2).view(2, 2).t() + 1)(torch.arange(4.0))
    assert y.tolist() == [[1.0, 5.0], [3.0, 7.0]]


def test_modes_that_switch_recording():
    def steps(x):
        with torch.no_grad():
            double = x * 2
        return double.requires_grad, (double * x).requires_grad, (x.detach() * 2).requires_grad

    assert torch.compile(steps)(torch.randn(3, requires_grad=True)) == (False, True, False)
    with torch.inference_mode():
        assert torch.compile(lambda x: x * 2 + 1)(torch.ones(3)).is_inference()


def test_saved_values_are_guarded_against_writes():
    x = torch.randn(4, requires_grad=True)

    @torch.compile
    def step(x):
        made = (x * 2).exp()
        made.add_(1)
        return made * 2

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        step(x).backward(torch.ones(4))


def test_results_that_nobody_keeps_take_no_memory():
    if extension is None:
        pytest.skip("nothing is put off")

    def kept(function):
        before = torch.ones(300, 300)
        made = torch.compile(function)(before)
        return made

    found = torch._dynamo.explain(lambda x: ((x * 2 + 1) * x - 3).relu())(torch.ones(300, 300))
    assert [(len(chain.steps), chain.kept) for chain in found.chains] == [(5, 1)]
    assert kept(lambda x: (x * 2 + 1).relu()).sum().item() == 270000.0


def test_tensors_die_as_soon_as_in_eager_code():
    @torch.compile
    def step(x):
        double = x * 2
        gone = weakref.ref(double)
        double = double + 1
        assert gone() is None
        return double

    gc.disable()
    try:
        result = weakref.ref(step(torch.ones(4)))
        assert result() is None
    finally:
        gc.enable()


def test_chains_that_are_long_and_wide():
    def long(x):
        made = [x]
        for number in range(60):
            made.append(made[-1] * 0.9 + made[number // 2] - number)
        return sum(made[::7]) + made[-1]

    both(long, torch.randn(11))


def test_blocks_of_every_length():
    for size in (2, 15, 1023, 1024, 1025, 3000, 70001):
        x, y = torch.randn(size), torch.randn(size, dtype=torch.float64)
        both(lambda x, y: (x * 3 + y).tanh() * (y > 0) - x.exp(), x, y)
    x, row, column = torch.randn(37, 61, 3), torch.randn(3), torch.randn(61, 1)
    both(lambda x, row, column: (x * row + column).tanh() * (x > column) - x.exp() * row, x, row, column)


def test_numbers_of_threads_make_no_difference():
    before, x = torch.get_num_threads(), torch.randn(200_000)
    found = []
    try:
        for count in (1, 2):
            torch.set_num_threads(count)
            found.append(torch.compile(lambda x: (x * 2 + 1).tanh().exp() * x)(x))
    finally:
        torch.set_num_threads(before)
    same(*found)


def test_memory_is_flat_over_many_calls():
    def forward(x, y):
        return ((x + y) * x - y).relu()

    function = torch.compile(forward)
    x, y = torch.randn(64, requires_grad=True), torch.randn(64)

    def used_after(calls):
        for _ in range(calls):
            function(x, y).backward(y)
            x.grad = None
            function(x.detach(), y)
            torch.compile(forward)(x, y)
        return memory.used(), len(gc.get_objects())

    gc.collect()
    used_after(50)
    memory_used, objects = used_after(10)
    more_used, more_objects = used_after(1000)
    assert more_used <= memory_used and more_objects <= objects + 100
