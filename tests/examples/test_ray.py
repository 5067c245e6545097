"""The examples on Ray run for a few rounds; they are skipped where the extra `ray` is not installed."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="needs the extra: pip install 'rushlight[ray]'"
)


def run(example, *words, cwd):
    environment = {**os.environ, "PYTHONPATH": str(Path(rushlight.__file__).parent.parent)}
    command = [sys.executable, str(EXAMPLES / example), "--no-progress", *words]
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=180)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_actors_play_and_a_learner_learns(tmp_path):
    said = run("ray_rollouts.py", "--rounds", "8", "--actors", "1", "--steps", "400", cwd=tmp_path)
    first, best = map(float, re.search(r"mean return ([\d.]+) at first, ([\d.]+) at best", said).groups())
    assert best > 2 * first and (tmp_path / "ray_rollouts.png").exists()


def test_a_sweep_finds_the_better_rate(tmp_path):
    said = run("ray_sweep.py", "--seeds", "2", "--rates", "0.0001", "0.01", "--steps", "200", cwd=tmp_path)
    slow, quick = (float(each) for each in re.findall(r": ([\d.]+)% right", said))
    assert quick > 90 > slow and (tmp_path / "ray_sweep.png").exists()
