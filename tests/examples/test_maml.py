"""The meta-learning example: the losses that PyTorch prints, and a picture of a new wave."""

import os
import subprocess
import sys
from pathlib import Path

import rushlight

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "maml.py"
# What PyTorch 2.13 prints for the same file and seed.
LOSSES_OF_TORCH = ["    0 4.6281", "   10 4.7952", "   20 4.7252", "mean loss of the last 30 steps 3.8470"]


def test_the_first_losses_are_those_of_torch(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(Path(rushlight.__file__).parent.parent)}
    command = [sys.executable, EXAMPLE, "--steps", "30", "--print-every", "10", "--no-progress"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == LOSSES_OF_TORCH
    assert (tmp_path / "maml.png").read_bytes().startswith(b"\x89PNG")
