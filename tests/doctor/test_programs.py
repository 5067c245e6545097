"""Whole programs under the doctor: nothing is found in them, and they print the same numbers as alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = [
    *[path for path in sorted((ROOT / "tests" / "programs").glob("*.py")) if "import torch" in path.read_text()],
    *sorted((ROOT / "examples").glob("*.py")),
]
# enough steps for every check that waits, and for the rest that follows
STEPS = "70"
# what takes too long as it is; examples that print their losses on request need nothing else
OPTIONS = {
    "ensemble": ["--steps", "60"],
    "per_sample_gradients": ["--steps", "60"],
    "pinn": ["--steps", "60", "--points", "50"],
}
LOSSES = ["--losses", "60"]
# what not every environment has
NEEDS = {"ddp": "mpi4py", "ray_rollouts": "ray", "ray_sweep": "ray"}


def run(arguments, folder):
    environment = {**os.environ, "PYTHONPATH": str(Path(rushlight.__file__).parent.parent), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "rushlight", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [each for each in PROGRAMS if not each.name.startswith("test_")], ids=lambda each: each.stem
)
def test_a_whole_program_is_left_alone_and_prints_the_same(path, tmp_path):
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    options = OPTIONS.get(path.stem, LOSSES if '"--losses"' in path.read_text() else [])
    given = [str(path), *options]
    watched = run(["doctor", "--steps", STEPS, *given], tmp_path)
    assert watched.returncode == 0, watched.stdout + watched.stderr
    printed, _, report = watched.stdout.partition("\nRushlight's doctor: ")
    assert report.startswith("Nothing found") and "failed and say nothing" not in report
    assert run(given, tmp_path).stdout.startswith(printed)
