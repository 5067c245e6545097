"""L-BFGS natively: its direction is that of the Python layer, and what is unusual is left to that."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.optim import lbfgs

pytestmark = pytest.mark.skipif(extension is None, reason="there is no native layer here")


def history(size=5, count=3, dtype="float32"):
    """A vector, changes of the gradient, steps, the inverses of their products, and a scale."""
    random = np.random.RandomState(0)
    steps = [random.standard_normal(size).astype(dtype) for _ in range(count)]
    changes = [(3 * step + random.standard_normal(size) / 9).astype(dtype) for step in steps]
    inverses = [1 / step.dot(change) for step, change in zip(steps, changes, strict=True)]
    return [random.standard_normal(size).astype(dtype), changes, steps, inverses, np.dtype(dtype).type(0.5)]


def by_hand(vector, changes, steps, inverses, scale):
    """The product of the matrices that the two loops stand for, in double precision."""
    unit = np.eye(len(vector))
    matrix = float(scale) * unit
    for change, step in zip(changes, steps, strict=True):
        change, step = change.astype("float64"), step.astype("float64")
        left = unit - np.outer(step, change) / step.dot(change)
        matrix = left @ matrix @ left.T + np.outer(step, step) / step.dot(change)
    return matrix @ vector


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("float64", 1e-12)])
@pytest.mark.parametrize(("size", "count"), [(5, 3), (40, 12), (3, 0), (1, 1)])
def test_the_direction_is_that_of_the_matrix(dtype, tolerance, size, count):
    given = history(size, count, dtype)
    wanted = by_hand(*given)
    shares = extension.newton(*given)
    assert shares.dtype == dtype and shares.shape == (count,)
    np.testing.assert_allclose(given[0], wanted, tolerance, tolerance)


def solved(dtype, **options):
    torch.manual_seed(0)
    param = torch.randn(30, dtype=dtype, requires_grad=True)
    weights = torch.linspace(1, 40, 30, dtype=dtype)
    optimizer = torch.optim.LBFGS([param], **options)

    def closure():
        optimizer.zero_grad()
        loss = (weights * param * param).sum() + (param**4).sum()
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    return param.tolist(), optimizer.state_dict()["state"][0]


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-3), (torch.float64, 1e-9)])
@pytest.mark.parametrize("options", [{"max_iter": 4}, {"max_iter": 4, "line_search_fn": "strong_wolfe"}])
@pytest.mark.parametrize("size", [2, 100])
def test_steps_and_state_are_pythons(monkeypatch, dtype, tolerance, options, size):
    found, state = solved(dtype, history_size=size, **options)
    monkeypatch.setattr(lbfgs, "extension", None)
    wanted, wanted_state = solved(dtype, history_size=size, **options)
    np.testing.assert_allclose(found, wanted, tolerance, tolerance)
    assert list(state) == list(wanted_state) and state["func_evals"] == wanted_state["func_evals"]
    for one, other in zip(state["al"], wanted_state["al"], strict=True):
        assert (one is None) == (other is None)
        assert one is None or (one.dtype is other.dtype and one.shape == other.shape == ())


def test_the_direction_does_not_depend_on_the_threads():
    def direction(threads):
        torch.set_num_threads(threads)
        given = history(100_000, 4)
        return extension.newton(*given).tolist(), given[0].tolist()

    before = torch.get_num_threads()
    try:
        assert direction(1) == direction(2) == direction(3)
    finally:
        torch.set_num_threads(before)


CHANGES = {
    "another size": lambda given: given[1].append(np.zeros(4, "float32")),
    "lists of other lengths": lambda given: given[3].pop(),
    "another dtype": lambda given: given[2].__setitem__(0, np.zeros(5)),
    "strides": lambda given: given[2].__setitem__(0, np.zeros(10, "float32")[::2]),
    "two dimensions": lambda given: given[1].__setitem__(0, np.zeros((5, 1), "float32")),
    "its own memory": lambda given: given[1].__setitem__(0, given[0]),
    "no array": lambda given: given[1].__setitem__(0, None),
    "no number": lambda given: given[3].__setitem__(0, "text"),
    "a number that promotes": lambda given: given[3].__setitem__(0, np.float64(1)),
    "a scale that is none": lambda given: given.__setitem__(4, None),
    "a tuple": lambda given: given.__setitem__(1, tuple(given[1])),
    "no vector": lambda given: given.__setitem__(0, 1.0),
    "integers": lambda given: given.__setitem__(0, np.arange(5)),
    "fixed memory": lambda given: given[0].flags.__setattr__("writeable", False),
    "too few": lambda given: given.pop(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_unusual_is_left_to_python(name):
    given = history()
    vector, before = given[0], given[0].copy()
    CHANGES[name](given)
    assert extension.newton(*given) is None
    assert vector.tolist() == before.tolist()
