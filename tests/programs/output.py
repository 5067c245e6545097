"""What a program prints: its words and its curves."""

import os
import re
import subprocess
import sys
from pathlib import Path

import rushlight

FOLDER = Path(__file__).parent
NUMBER = re.compile(r"-?\d+\.\d+")
NAMED = re.compile(rf"(\w+) ({NUMBER.pattern})")


class Output:
    """The text of a program; `output["loss"]` are the numbers after the word `loss`, in order."""

    def __init__(self, text):
        self.words = NUMBER.sub("#", text)
        self.numbers = [float(number) for number in NUMBER.findall(text)]
        self.named = NAMED.findall(text)

    def __getitem__(self, name):
        return [float(number) for word, number in self.named if word == name]


def run(name):
    """Run a program of this folder in a fresh interpreter, where its `torch` is Rushlight."""
    environment = {**os.environ, "PYTHONPATH": str(Path(rushlight.__file__).parent.parent)}
    command = [sys.executable, "-W", "error", "-m", "rushlight", str(FOLDER / f"{name}.py")]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return Output(ran.stdout)
