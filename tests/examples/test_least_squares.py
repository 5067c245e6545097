"""The least-squares example: every stage arrives where the pseudoinverse says, with pictures of the way."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rushlight

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "least_squares.py"
STAGES = ["NumPy by hand", "tensors by hand", "autograd", "SGD", "RMSprop", "Adagrad", "Adam"]
# What PyTorch 2.13 prints for the same file and seed, of the pseudoinverse.
SOLUTION_OF_TORCH = (-1.2004, 2.5154)


def run(*arguments, cwd, code=0):
    environment = {**os.environ, "PYTHONPATH": str(Path(rushlight.__file__).parent.parent)}
    command = [sys.executable, EXAMPLE, *arguments]
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)
    assert ran.returncode == code, ran.stderr
    return ran.stdout


def table(printed):
    """The numbers of each line, by its name."""
    lines = printed.splitlines()[1:-1]
    return {line[:16].strip(): [float(each) for each in line[16:].split()] for line in lines}


@pytest.mark.slow
def test_every_stage_arrives_and_is_drawn(tmp_path):
    rows = table(run("--steps", "1500", cwd=tmp_path))
    solution = rows.pop("pseudoinverse")
    assert solution == pytest.approx(SOLUTION_OF_TORCH, abs=2e-4)
    assert list(rows) == STAGES
    for a, b, distance in rows.values():
        assert (a, b) == pytest.approx(solution, abs=2e-3)
        assert distance == pytest.approx(np.hypot(a - solution[0], b - solution[1]), abs=2e-4)
    for name in ("least_squares_fit.png", "least_squares_paths.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_too_few_steps_do_not_arrive(tmp_path):
    rows = table(run("--steps", "3", "--points", "20", "--fit", "a.png", "--paths", "b.png", cwd=tmp_path, code=1))
    assert all(row[2] > 0.5 for name, row in rows.items() if name != "pseudoinverse")
    assert (tmp_path / "a.png").exists() and (tmp_path / "b.png").exists()
