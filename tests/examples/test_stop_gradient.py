"""The stop-gradient example: its gradients are those of the formulas."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rushlight as torch

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "stop_gradient.py"


@pytest.fixture(scope="module")
def example():
    return runpy.run_path(str(EXAMPLE))


@pytest.mark.parametrize("values", [[0.5, -1.0], [-1.3, 0.2], [0.0, 2.0]])
def test_gradients_are_the_formulas(example, values):
    x = torch.linspace(-1, 1, 7, dtype=torch.float64)
    expected = example["formulas"](x.numpy(), values)
    assert len(expected) == 5
    for objective, formula in expected.items():
        np.testing.assert_allclose(example["gradient"](objective, x, values).numpy(), formula, 1e-5, 1e-6)


def test_formulas_are_the_slopes_of_numbers(example):
    """The gradient of the whole product, and of f alone, by differences."""
    x, values, small = np.linspace(-1, 1, 7), np.array([0.4, -0.7]), 1e-6
    expected = {objective.__name__: formula for objective, formula in example["formulas"](x, values).items()}
    fixed = np.exp(values[0] * x)

    def product(theta, factor=None):
        scale = np.exp(theta[0] * x) if factor is None else factor
        return (scale * (theta[0] * x + theta[1])).sum()

    for name, factor in [("by_its_own_function", None), ("by_stopped_values", fixed)]:
        slopes = [
            (product(values + small * unit, factor) - product(values - small * unit, factor)) / (2 * small)
            for unit in np.eye(2)
        ]
        np.testing.assert_allclose(expected[name], slopes, 1e-6)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_it_prints_both_and_finds_them_equal(tmp_path, seed):
    environment = {**os.environ, "PYTHONPATH": str(Path(torch.__file__).parent.parent)}
    command = [sys.executable, EXAMPLE, "--seed", seed]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert "requires_grad: True, stopped: False" in lines
    for line in lines[-5:]:
        found_a, found_b, formula_a, formula_b = (float(each) for each in line[28:].split())
        assert (found_a, found_b) == pytest.approx((formula_a, formula_b), abs=2e-4)
