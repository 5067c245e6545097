"""Whole programs print the same when they run inside of a compiled function, all of their pointwise calls put off."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight

FOLDER = Path(__file__).parent.parent / "programs"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "output", "test_learning"))

COMPILED = """
import sys
from rushlight.cli.run import run_script
from rushlight.compiler.region import run_compiled
from rushlight.native import extension
if extension is not None:
    extension.set_least_deferred(2)
run_compiled(run_script, False, (sys.argv[1], sys.argv[1:]), {})
"""


def printed(*command):
    environment = {**os.environ, "PYTHONPATH": str(Path(rushlight.__file__).parent.parent)}
    ran = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_the_same(name):
    path = str(FOLDER / f"{name}.py")
    assert printed("-m", "rushlight", path) == printed("-c", COMPILED, path)
