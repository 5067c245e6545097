"""L-BFGS: the direction that its two loops turn to, and what its steps leave in memory."""

import copy

import numpy as np
import pytest

import rushlight as torch
from rushlight.optim.lbfgs import Run, _cubic_interpolate, _strong_wolfe


def history(size, count, dtype):
    """A vector, changes of the gradient, steps, the inverses of their products, and a scale."""
    random = np.random.RandomState(0)
    steps = [random.standard_normal(size).astype(dtype) for _ in range(count)]
    changes = [(3 * step + random.standard_normal(size) / 9).astype(dtype) for step in steps]
    inverses = [np.asarray(1 / step.dot(change)) for step, change in zip(steps, changes, strict=True)]
    return random.standard_normal(size).astype(dtype), changes, steps, inverses, np.dtype(dtype).type(0.5)


def by_hand(vector, changes, steps, scale):
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
    vector, changes, steps, inverses, scale = history(size, count, dtype)
    wanted = by_hand(vector, changes, steps, scale)
    optimizer = torch.optim.LBFGS([torch.zeros(size, requires_grad=True)], history_size=20)
    run = Run(optimizer, lambda: None, optimizer.param_groups[0], {})
    run.changes, run.steps, run.inverses, run.scale = changes, steps, inverses, scale
    found = run.newton(vector)
    assert found is vector and found.dtype == dtype
    np.testing.assert_allclose(found, wanted, tolerance, tolerance)


def test_a_step_beside_doubles_is_taken_in_double_precision():
    still, moving = torch.zeros(2, dtype=torch.float64, requires_grad=True), torch.tensor(-1.125, requires_grad=True)
    optimizer = torch.optim.LBFGS([still, moving], max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (moving * 3 + 1).pow(2)
        loss.backward()
        return loss

    optimizer.step(closure)
    optimizer.step(closure)
    # in single precision it would miss the minimum by a digit, and try a third time
    assert optimizer.state[still]["n_iter"] == 2 and moving.item() == np.float32(-1 / 3)


def test_what_a_step_does_not_change_stays_on_the_memory_of_the_dict_it_was_loaded_from():
    x = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], max_iter=3)

    def step(loss_of):
        def closure():
            optimizer.zero_grad()
            loss = loss_of(x)
            loss.backward()
            return loss

        optimizer.step(closure)

    step(lambda x: (x * 1.5 + 1).pow(4).sum())
    kept = copy.deepcopy(optimizer.state_dict())
    optimizer.load_state_dict(kept)
    scale = kept["state"][0]["H_diag"]
    optimizer.state[x]["prev_flat_grad"].fill_(1.0)
    step(lambda x: x.sum())
    assert optimizer.state[x]["H_diag"].data_ptr() == scale.data_ptr()


def test_the_line_search_by_itself_gives_loss_gradient_distance_and_calls():
    def along(x, t, d):
        x = x + t * d
        return float((x**4).sum()), 4 * x**3

    x = torch.tensor([1.0, -2.0], dtype=torch.float64)
    loss, grad = along(x, 0, torch.zeros(2))
    found = _strong_wolfe(along, x, 1.0, -grad, loss, grad, grad.dot(-grad))
    # torch's answer
    assert found[0] == pytest.approx(0.29925517009205044)
    assert found[1].tolist() == pytest.approx([1.2758316509648617, 0.6091727569782727])
    assert type(found[2]) is torch.Tensor and found[2].item() == pytest.approx(0.07918822637064711)
    assert found[3] == 4


def test_the_cubic_is_lowest_between_its_places_or_within_bounds():
    slopes = torch.tensor(-1.0), torch.tensor(1.0)
    assert _cubic_interpolate(0, 1.0, slopes[0], 1.0, 2.0, slopes[1]).item() == pytest.approx(0.1396203637123108)
    assert _cubic_interpolate(0, 1.0, slopes[0], 1.0, 2.0, slopes[1], bounds=(0.5, 0.7)) == 0.5
    assert _cubic_interpolate(1.0, 2.0, slopes[0], 0, 5.0, slopes[0]) == 1.0
