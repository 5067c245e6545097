"""Indexing against torch itself: random expressions, read, assigned and differentiated in both libraries."""

import warnings

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

SHAPES = [(), (4,), (3, 4), (2, 3, 4), (2, 1, 3, 2), (0, 3), (3, 0, 2)]
SEEDS = range(60)


class Positions:
    """A tensor index that each library builds as its own."""

    def __init__(self, array):
        self.array = array

    def __repr__(self):
        return f"tensor({self.array.tolist()}, {self.array.dtype})"


def draw_slice(rng, size):
    def bound():
        return None if rng.random() < 0.4 else int(rng.integers(-size - 2, size + 3))

    return slice(bound(), bound(), None if rng.random() < 0.6 else int(rng.integers(1, 4)))


def draw_positions(rng, size):
    shape = [(), (1,), (2,), (3,), (2, 2), (0,)][rng.integers(6)]
    low, high = (-size, size) if size else (-1, 1)
    array = rng.integers(low, high, shape)
    form = rng.integers(4)
    if form == 0 and shape:
        return array.tolist()
    if form == 1:
        return Positions(array.astype("int32"))
    return array if form == 2 else Positions(array)


def draw_mask(rng, shape):
    mask = rng.random(shape) < 0.5
    # an array of several dimensions confuses torch beside an ellipsis: it takes it for one dimension there
    return [Positions(mask), mask, mask.tolist()][rng.integers(3 if mask.ndim == 1 else 1)]


def draw_index(rng, shape):
    """An index expression, mostly valid, for a tensor of this shape."""
    items, dim = [], 0
    while dim < len(shape) and rng.random() < 0.85:
        kind = rng.integers(10)
        if kind < 3:
            items.append(draw_slice(rng, shape[dim]))
        elif kind < 5:
            items.append(int(rng.integers(-shape[dim], shape[dim])) if shape[dim] else 0)
        elif kind < 8:
            items.append(draw_positions(rng, shape[dim]))
        else:
            reach = int(rng.integers(1, len(shape) - dim + 1))
            items.append(draw_mask(rng, shape[dim : dim + reach]))
            dim += reach - 1
        dim += 1
    for extra, chance in ((None, 0.3), (..., 0.3), (True, 0.1), (False, 0.04), (7, 0.03)):
        if rng.random() < chance:
            items.insert(int(rng.integers(len(items) + 1)), extra)
    return items[0] if len(items) == 1 and rng.random() < 0.5 else tuple(items)


def build(library, index):
    if isinstance(index, tuple):
        return tuple(build(library, each) for each in index)
    return library.from_numpy(np.array(index.array)) if isinstance(index, Positions) else index


def attempt(act):
    """What comes of it: ("ok", result) or ("error", type)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "ok", act()
        except (IndexError, TypeError, ValueError, RuntimeError) as error:
            return "error", type(error)


def expect_same(expected, given, what):
    if given == ("error", IndexError) and 0 in what[0]:
        # torch does not look at the positions if the result is empty
        return
    assert given[0] == expected[0], (what, expected, given)
    if expected[0] == "error":
        assert issubclass(given[1], expected[1]), what
        return
    for one, two in zip(expected[1], given[1], strict=True):
        if isinstance(one, np.ndarray):
            np.testing.assert_allclose(two, one, rtol=1e-12, err_msg=str(what))
            assert two.dtype == one.dtype, what
        else:
            assert two == one, what


def leaf(library, array):
    return library.from_numpy(array.copy()).requires_grad_()


@pytest.mark.parametrize("seed", SEEDS)
def test_reading_agrees_with_torch(seed):
    rng = np.random.default_rng(seed)
    for _ in range(25):
        shape = SHAPES[rng.integers(len(SHAPES))]
        array, transposed = rng.standard_normal(shape), rng.random() < 0.3
        index = draw_index(rng, shape[::-1] if transposed else shape)

        def read(library, array=array, transposed=transposed, index=index):
            input = leaf(library, array)
            part = (input.permute(tuple(range(array.ndim))[::-1]) if transposed else input)[build(library, index)]
            (first,) = library.autograd.grad((part**3).sum(), input, create_graph=True)
            (second,) = library.autograd.grad((first**2).sum(), input)
            steps = [step for size, step in zip(part.shape, part.stride(), strict=True) if size > 1]
            layout = (steps, part.storage_offset()) if part._is_view() and part.numel() else None
            values = [each.detach().numpy() for each in (part, first, second)]
            return [*values, tuple(part.shape), part.grad_fn.name(), part._is_view(), layout]

        expect_same(attempt(lambda: read(torch)), attempt(lambda: read(rushlight)), (shape, transposed, index))


@pytest.mark.parametrize("seed", SEEDS)
def test_assignment_agrees_with_torch(seed):
    rng = np.random.default_rng(1000 + seed)
    for _ in range(25):
        shape = SHAPES[rng.integers(len(SHAPES))]
        array, index = rng.standard_normal(shape), draw_index(rng, shape)
        found = attempt(lambda array=array, index=index: torch.from_numpy(array)[build(torch, index)].shape)
        result = tuple(found[1]) if found[0] == "ok" else ()
        cut = result[int(rng.integers(len(result) + 1)) :]
        value = rng.standard_normal(tuple(1 if rng.random() < 0.2 else size for size in cut))
        if repeats(index):
            # with positions named twice, which value stays is left open
            value = np.array(1.5)

        def write(library, array=array, index=index, value=value):
            input, source = leaf(library, array), leaf(library, value)
            target = input * 1
            target[build(library, index)] = source
            grads = library.autograd.grad((target**3).sum(), (input, source), allow_unused=True)
            plain = library.from_numpy(array.copy())
            plain[build(library, index)] = 2.5
            values = [each if each is None else each.detach().numpy() for each in (target, plain, *grads)]
            return [*values, target._version, target.grad_fn.name().rpartition(":")[2]]

        expect_same(attempt(lambda: write(torch)), attempt(lambda: write(rushlight)), (shape, index, value.shape))


def repeats(index):
    items = index if isinstance(index, tuple) else (index,)
    return any(isinstance(each, (Positions, np.ndarray, list)) for each in items)


@pytest.mark.parametrize("seed", range(20))
def test_integers_and_bools_are_assigned_as_in_torch(seed):
    rng = np.random.default_rng(2000 + seed)
    kinds = ["bool", "uint8", "int32", "int64", "float32", "float64", "complex64"]
    values = [1, 0, -1, 2.7, 300, float("nan"), float("inf"), 1e300, 2**70, True, 1j, None, "a", [1.0]]
    for _ in range(20):
        array = rng.integers(0, 2, (3, 4)).astype(rng.choice(kinds))
        index = draw_index(rng, (3, 4))
        if rng.random() < 0.5:
            value = values[rng.integers(len(values))]
        else:
            value = Positions(np.array(rng.integers(0, 2)).astype(rng.choice(kinds)))

        def write(library, array=array, index=index, value=value):
            target = library.from_numpy(array.copy())
            target[build(library, index)] = build(library, value)
            return [target.numpy()]

        what = array.shape, index, array.dtype, value
        expect_same(attempt(lambda: write(torch)), attempt(lambda: write(rushlight)), what)
