"""The private gradients example: the losses that PyTorch prints, and a picture of the classes."""

import os
import subprocess
import sys
from pathlib import Path

import rushlight

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "per_sample_gradients.py"
# What PyTorch 2.13 prints for the same file and seed.
LOSSES_OF_TORCH = ["    0 0.6630", "   10 0.3425", "   20 0.3153", "   30 0.3911", "right 0.870"]


def test_the_first_losses_are_those_of_torch(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(Path(rushlight.__file__).parent.parent)}
    command = [sys.executable, EXAMPLE, "--steps", "40", "--print-every", "10", "--no-progress"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == LOSSES_OF_TORCH
    assert (tmp_path / "per_sample_gradients.png").read_bytes().startswith(b"\x89PNG")
