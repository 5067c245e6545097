"""The examples print the same numbers under PyTorch, where only the import differs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NUMBER = re.compile(r"-?\d+\.\d+")


def losses(*command):
    ran = subprocess.run([sys.executable, *command, "--losses", "50"], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return [float(line) for line in ran.stdout.split()]


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_the_first_50_losses_of_the_actor_critic_are_torchs(tmp_path, seed):
    script = tmp_path / "actor_critic.py"
    source = (EXAMPLES / "actor_critic.py").read_text()
    script.write_text(source.replace("import rushlight as torch", "import torch"))
    ours = losses(EXAMPLES / "actor_critic.py", "--seed", seed)
    assert len(ours) == 50
    # printed to four decimals: the last one may round the other way
    assert ours == pytest.approx(losses(script, "--seed", seed), rel=0, abs=2e-4)
    # torch is installed here, and yet the script means Rushlight
    assert losses("-m", "rushlight", script, "--seed", seed) == ours


def printed(folder, *command):
    ran = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("seed", ["0", "1"])
@pytest.mark.parametrize(
    ("name", "options", "tolerance"),
    # RMSprop never comes quite to rest, and where it stands last is a matter of rounding
    [("least_squares", ("--steps", "2500"), 1e-3), ("stop_gradient", (), 2e-4)],
)
def test_the_numbers_of_other_examples_are_torchs(tmp_path, name, options, tolerance, seed):
    source = (EXAMPLES / f"{name}.py").read_text()
    script = tmp_path / f"{name}.py"
    script.write_text(source.replace("import rushlight as torch", "import torch"))
    ours = printed(tmp_path, EXAMPLES / f"{name}.py", "--seed", seed, *options)
    theirs = printed(tmp_path, script, "--seed", seed, *options)
    assert NUMBER.sub("", ours).split() == NUMBER.sub("", theirs).split()
    numbers = [[float(each) for each in NUMBER.findall(text)] for text in (ours, theirs)]
    assert numbers[0] == pytest.approx(numbers[1], rel=0, abs=tolerance)
