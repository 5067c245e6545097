"""The soft actor-critic example learns for a while, exactly as far as its arithmetic carries it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight
from rushlight.native import extension

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "sac.py"


def run(*arguments, cwd, script=(EXAMPLE,)):
    environment = {**os.environ, "PYTHONPATH": str(Path(rushlight.__file__).parent.parent)}
    command = [sys.executable, *script, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)


LONG = pytest.mark.skipif(extension is None, reason="takes minutes without the native layer")
SHORT = ("--steps", "400", "--random-steps", "300", "--batch", "32", "--hidden", "16", "--evaluate", "2")


def returned(printed):
    return float(re.search(r"greedy episodes: (-?[\d.]+)", printed)[1])


@pytest.mark.parametrize("inverse", ["exact", pytest.param("numeric", marks=pytest.mark.slow)])
def test_a_short_run_draws_its_learning_curve(tmp_path, inverse):
    ran = run(*SHORT, "--inverse", inverse, "--good", "-5000", "--plot", "curve.png", "--no-progress", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "400 steps" in ran.stdout and -2000 < returned(ran.stdout) < 0


@pytest.mark.slow
def test_too_few_steps_are_not_good_enough(tmp_path):
    ran = run(*SHORT, "--good", "-1", cwd=tmp_path)
    assert ran.returncode == 1 and "mean return of 2 greedy episodes" in ran.stdout, ran.stderr
    # the progress bar
    assert "400/400" in ran.stderr


@pytest.mark.slow
def test_the_same_program_written_for_torch_does_the_same(tmp_path):
    source = EXAMPLE.read_text()
    script = tmp_path / "script.py"
    script.write_text(source.replace("import rushlight as torch", "import torch"))
    assert script.read_text() != source
    ours = run(*SHORT, "--no-progress", cwd=tmp_path)
    theirs = run(*SHORT, "--no-progress", cwd=tmp_path, script=("-m", "rushlight", "script.py"))
    assert returned(theirs.stdout) == returned(ours.stdout)


@LONG
@pytest.mark.slow
def test_the_pendulum_is_swung_up(tmp_path):
    ran = run("--steps", "4000", "--no-progress", cwd=tmp_path)
    assert ran.returncode == 0 and returned(ran.stdout) > -200, ran.stdout + ran.stderr


@LONG
@pytest.mark.slow
def test_without_exact_inverses_the_training_breaks(tmp_path):
    ran = run("--inverse", "numeric", "--steps", "6000", "--lr", "5e-3", "--no-progress", cwd=tmp_path)
    assert ran.returncode == 1
    assert "the training broke in episode" in ran.stderr and "nan" in ran.stderr
