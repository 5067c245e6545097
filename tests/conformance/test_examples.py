"""The examples print the same losses under PyTorch, where only the import differs."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


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
