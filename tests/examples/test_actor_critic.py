"""The actor-critic example runs for a few steps, with PyTorch's losses."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "actor_critic.py"
# What PyTorch 2.13 prints for the same file and seed.
LOSSES_OF_TORCH = [1.067092, 1.836041, 1.083962, 1.206527, 0.676927]


def run(*command, cwd):
    environment = {**os.environ, "PYTHONPATH": str(Path(rushlight.__file__).parent.parent)}
    ran = subprocess.run(
        [sys.executable, *command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_losses_are_torchs(tmp_path):
    losses = [float(line) for line in run(EXAMPLE, "--losses", "5", cwd=tmp_path).split()]
    assert losses == pytest.approx(LOSSES_OF_TORCH, abs=1e-4)


def test_the_same_program_written_for_torch_prints_the_same(tmp_path):
    source = EXAMPLE.read_text()
    script = tmp_path / "script.py"
    script.write_text(source.replace("import rushlight as torch", "import torch"))
    assert script.read_text() != source
    ours = run(EXAMPLE, "--losses", "5", cwd=tmp_path)
    assert run("-m", "rushlight", "script.py", "--losses", "5", cwd=tmp_path) == ours


def test_it_draws_its_learning_curve_and_explains_the_pitfall(tmp_path):
    printed = run(EXAMPLE, "--episodes", "3", "--solved", "1", "--plot", "curve.png", "--no-progress", cwd=tmp_path)
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    wrong, silent, right = printed.split("\n--- ")[1:]
    assert "UserWarning" in wrong and "stack" in wrong
    assert "RuntimeError: element 0 of tensors does not require grad" in wrong
    assert "0 of the critic's 6 parameters" in wrong
    assert "UserWarning" in silent and "stack" in silent
    assert "0 of the critic's 6 parameters" in silent
    assert "6 of the critic's 6 parameters" in right
