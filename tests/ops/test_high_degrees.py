"""Polynomials of high degrees: those of Chebyshev come from angles, others end where they are NaN."""

import numpy as np
import pytest

import rushlight as torch

STARTS = {"t": lambda x: x, "u": lambda x: 2 * x, "v": lambda x: 2 * x - 1, "w": lambda x: 2 * x + 1}


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("kind", STARTS)
def test_angles_give_what_the_recurrence_gives(kind, shifted):
    x = np.array([-0.9, -0.2, 0.3, 0.8, 1.0, 1.2])
    given = (x + 1) / 2 if shifted else x
    function = getattr(torch.special, f"{'shifted_' if shifted else ''}chebyshev_polynomial_{kind}")
    before, last = np.ones_like(x), STARTS[kind](x)
    for _ in range(24):
        before, last = last, 2 * x * last - before
    np.testing.assert_allclose(function(torch.tensor(given), 25).numpy(), last, rtol=1e-9)


def test_a_degree_of_a_hundred_thousand_takes_no_step_for_each():
    degrees = torch.full((1000,), 99_999)
    found = torch.special.chebyshev_polynomial_t(torch.tensor(0.5, dtype=torch.float64), degrees)
    np.testing.assert_allclose(found.numpy(), np.cos(99_999 * np.arccos(0.5)), atol=1e-9)
    assert torch.special.hermite_polynomial_h(torch.tensor(0.5), degrees).isnan().all()
