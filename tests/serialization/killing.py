"""Killing: a process that saves over and over is killed at any moment, and the file is looked at.

python tools/fuzz_files.py killing --count 200
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import rushlight as torch

# a file of a few megabytes, so that there is time to be killed in
SAVING = """
import sys
import rushlight as torch
path, legacy, version = sys.argv[1], sys.argv[2] == "legacy", 0
while True:
    numbers = torch.full((300_000,), version)
    torch.save({"version": version, "numbers": numbers, "again": numbers[5:]}, path,
               _use_new_zipfile_serialization=not legacy)
    print(version, flush=True)
    version += 1
"""


def kill_one(path: Path, draw: random.Random, legacy: bool) -> None:
    """Start a process that saves, kill it at some moment, and see that the file is whole and as new as it can be."""
    command = [sys.executable, "-c", SAVING, str(path), "legacy" if legacy else "zip"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(draw.random() * 0.05)
        process.kill()
        said = process.stdout.read().split()
    found = torch.load(path)
    version = found["version"]
    # what it said to be done is done; one more may have been
    assert version >= (int(said[-1]) if said else 0)
    assert (found["numbers"] == version).all() and len(found["numbers"]) == 300_000
    assert found["again"].untyped_storage() is found["numbers"].untyped_storage()


def kill(count: int, folder: Path, seed: int = 0) -> int:
    """Kill so many processes; how many unfinished files they left behind."""
    draw = random.Random(seed)
    path = folder / "state.pt"
    for number in range(count):
        kill_one(path, draw, legacy=number % 4 == 3)
    return len(list(folder.iterdir())) - 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill processes that save.")
    parser.add_argument("--count", type=int, default=200)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        left = kill(chosen.count, Path(folder))
    print(f"{chosen.count} processes killed, every file whole; {left} unfinished ones beside it")
    return 0
