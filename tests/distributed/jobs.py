"""Jobs: programs in several processes, for tests; they are skipped where the extra `distributed` is not installed."""

import importlib.util
import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
MISSING = "needs the extra: pip install 'rushlight[distributed]', or make distributed"
needs_mpi = pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason=MISSING)


class Ended:
    """How a job ended."""

    def __init__(self, code, out, err, took, mark):
        self.code, self.out, self.err, self.took, self.mark = code, out, err, took, mark

    def left_behind(self):
        """Processes of the job that still run, known by what their environment says: other tests have jobs too."""
        return [each for each in os.listdir("/proc") if each.isdecimal() and self.mark in environment_of(each)]


def environment_of(process):
    try:
        return Path(f"/proc/{process}/environ").read_text(errors="replace")
    except OSError:
        return ""


def start(program, count, *arguments, options=(), folder=None, launcher=None, **variables):
    """Run a program of the folder `programs` in `count` processes; returns how it ended."""
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", ""), **variables}
    environment["RUSHLIGHT_TEST_JOB"] = mark = f"job-{secrets.token_hex(8)}"
    environment.pop("RUSHLIGHT_TOLD_GLOO", None)
    # what a process prints comes in one piece, so that the lines of two do not mix
    environment.pop("PYTHONUNBUFFERED", None)
    path = str(PROGRAMS / program)
    command = launcher or [
        sys.executable,
        "-m",
        "rushlight.distributed.run",
        "--nproc_per_node",
        str(count),
        *options,
    ]
    began = time.monotonic()
    # not in the tree, where its package would hide the installed one
    done = subprocess.run(
        [*command, path, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        cwd=folder or (root if root in environment["PYTHONPATH"] else "/"),
    )
    return Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - began, mark)
