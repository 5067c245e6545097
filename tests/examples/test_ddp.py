"""The example of several processes: PyTorch's losses in one, the same in three, and a checkpoint to go on from."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight
from tests.distributed.jobs import needs_mpi

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ddp.py"
# What PyTorch 2.13 prints for the same file and seed, in one process.
LOSSES_OF_TORCH = {0: 2.30393, 20: 2.23257}


def run(*words, cwd, processes=None):
    environment = {**os.environ, "PYTHONPATH": str(Path(rushlight.__file__).parent.parent)}
    start = ["-m", "rushlight.distributed.run", "--nproc_per_node", str(processes)] if processes else []
    command = [sys.executable, *start, str(EXAMPLE), "--no-progress", *words]
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    lines = [line.split() for line in ran.stdout.splitlines() if not line.endswith("known")]
    return {int(step): float(loss) for step, loss in lines}


def test_one_process_has_torchs_losses_and_goes_on_from_its_checkpoint(tmp_path):
    assert run("--steps", "21", cwd=tmp_path) == pytest.approx(LOSSES_OF_TORCH, abs=1e-3)
    options = ("--print-every", "1", "--save-every", "4", "--checkpoint", "digits.pt")
    whole = run("--steps", "10", "--print-every", "1", cwd=tmp_path)
    first, second = run("--steps", "6", *options, cwd=tmp_path), run("--steps", "10", *options, cwd=tmp_path)
    assert list(second) == [5, 6, 7, 8, 9] and {**first, **second} == whole


@needs_mpi
def test_three_processes_have_the_losses_of_one(tmp_path):
    options = ("--steps", "12", "--print-every", "1")
    together = run(*options, cwd=tmp_path, processes=3)
    assert together == pytest.approx(run(*options, cwd=tmp_path), abs=2e-5)
