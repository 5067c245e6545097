"""Native losses: values and gradients against the bodies of their ops, at all sizes, layouts and strange numbers."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.nn import functional as F
from rushlight.ops.machine.declare import REGISTRY

pytestmark = pytest.mark.skipif(extension is None, reason="there is no native layer here")

REDUCTIONS = ["mean", "sum", "none"]
# lowest and highest input, the same for the target, and what follows the reduction
PAIRS = {
    "_mse_loss": (-2, 2, -2, 2, ()),
    "_l1_loss": (-2, 2, -2, 2, ()),
    "_smooth_l1_loss": (-2, 2, -2, 2, (0.7,)),
    "_huber_loss": (-2, 2, -2, 2, (0.7,)),
    "_kl_div": (-3, 0, 0, 1, (False,)),
}
SHAPES = [(), (1,), (0, 3), (7, 5), (1000,), (40_000,)]
FUNCTIONS = ["mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits"]


def called(name, arguments):
    """What the native function finds, and what the op's body does."""
    op = REGISTRY[name]
    tensors = [torch.from_numpy(each) if isinstance(each, np.ndarray) else each for each in arguments]
    with np.errstate(all="ignore"):
        return op.function(*tensors), op.body(*arguments)


def assert_same(found, expected, tolerance=2e-6):
    np.testing.assert_allclose(found.numpy(), expected, tolerance, tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name, reduction, dtype):
    low, high, target_low, target_high, options = PAIRS[name]
    random = np.random.default_rng(0)
    for shape in SHAPES:
        x = np.asarray(random.uniform(low, high, shape)).astype(dtype)
        y = np.asarray(random.uniform(target_low, target_high, shape)).astype(dtype)
        assert_same(*called(name, (x, y, reduction, *options)))
    wide = random.uniform(low, high, (6, 10)).astype(dtype)
    y = random.uniform(target_low, target_high, (5, 6)).astype(dtype)
    found, expected = called(name, (wide[:, ::2], y.T, reduction, *options))
    assert_same(found, expected)
    if reduction == "none":
        # a divergence has the order of its target
        assert found.numpy().strides == (y.T if name == "_kl_div" else expected).strides


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_strange_numbers(name, reduction):
    strange = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1e30, -1e-40], "float32")
    x, y = (each.reshape(-1) for each in np.meshgrid(strange, strange))
    loss = getattr(F, name)
    # one element at a time, so that a NaN tells nothing of the others
    single = [loss(torch.tensor(a), torch.tensor(b), reduction=reduction).item() for a, b in zip(x, y, strict=True)]
    gradients = []
    # with create_graph the formulas run
    for create_graph in (False, True):
        leaves = torch.tensor(x, requires_grad=True), torch.tensor(y, requires_grad=True)
        values = loss(*leaves, reduction="none")
        np.testing.assert_array_equal(values.detach().numpy(), single)
        gradients.append(torch.autograd.grad(values.sum(), leaves, create_graph=create_graph))
    for native, python in zip(*gradients, strict=True):
        np.testing.assert_allclose(native.numpy(), python.detach().numpy(), 1e-6)


def class_arrays(shape, dtype="float32", seed=0):
    random = np.random.default_rng(seed)
    targets = random.integers(0, shape[1], (shape[0], *shape[2:]))
    weight = random.uniform(0.1, 2, shape[1]).astype(dtype)
    return random.standard_normal(shape).astype(dtype) * 3, targets, weight


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", ["_nll_loss", "_cross_entropy"])
@pytest.mark.parametrize("shape", [(1, 3), (64, 10), (5, 31), (5, 32), (3, 1000), (2, 5, 3), (2, 7, 20, 30), (300, 1)])
def test_classes(name, shape, reduction):
    x, targets, weight = class_arrays(shape)
    some = targets.copy()
    some.reshape(-1)[::2] = -100
    for target in (targets, some, np.full_like(targets, -100)):
        for weights in (None, weight):
            found, expected = called(name, (x, target, weights, -100, reduction))
            for one, other in zip(found, expected, strict=True):
                assert_same(one, other, 1e-5)


def test_targets_out_of_range_are_left_to_python():
    for target in (4, -1):
        with pytest.raises(IndexError, match="out of bounds"):
            F.cross_entropy(torch.zeros(3, 4), torch.tensor([0, target, 1]))


def test_class_gradients_add_up():
    x, targets, weight = class_arrays((64, 10))
    some = targets.copy()
    some[::3] = -100
    logits = torch.tensor(x, requires_grad=True)
    F.cross_entropy(logits, torch.tensor(some), torch.tensor(weight)).backward()
    # a row's probabilities add up to 1, and 1 is taken away
    assert np.abs(logits.grad.numpy().sum(1)).max() < 1e-7
    assert not logits.grad.numpy()[::3].any()
    other = torch.tensor(x, requires_grad=True)
    F.nll_loss(other.log_softmax(1), torch.tensor(some), torch.tensor(weight)).backward()
    np.testing.assert_allclose(logits.grad.numpy(), other.grad.numpy(), 1e-4, 1e-7)


def test_threads_change_no_bit():
    random = np.random.default_rng(0)
    x = torch.tensor(random.standard_normal((3000, 50)).astype("float32"))
    y, targets = torch.rand(3000, 50), torch.tensor(random.integers(0, 50, 3000))
    before, found = torch.get_num_threads(), []
    try:
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            leaf = x.clone().requires_grad_()
            losses = [F.mse_loss(leaf, y), F.binary_cross_entropy_with_logits(leaf, y), F.cross_entropy(leaf, targets)]
            sum(losses).backward()
            found.append([each.item() for each in losses] + [leaf.grad.numpy().tobytes()])
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1] == found[2]


def test_embedding_rows_and_their_gradient():
    random = np.random.default_rng(0)
    table, numbers = random.standard_normal((50, 7)).astype("float32"), random.integers(0, 50, (20, 30))
    for kind in ("int64", "int32"):
        weight = torch.tensor(table, requires_grad=True)
        found = F.embedding(torch.tensor(numbers.astype(kind)), weight, padding_idx=3)
        np.testing.assert_array_equal(found.detach().numpy(), table[numbers])
        found.sum().backward()
        expected = np.bincount(numbers.reshape(-1), minlength=50).astype("float32")
        expected[3] = 0
        np.testing.assert_array_equal(weight.grad.numpy(), np.repeat(expected[:, None], 7, 1))
    with pytest.raises(IndexError):
        F.embedding(torch.tensor([50]), torch.tensor(table))
