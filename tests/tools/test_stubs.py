"""The type stubs: what is checked in is what the registry says today."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.stubs.types_of import union

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.slow
def test_the_stubs_and_the_late_names_are_up_to_date():
    command = [sys.executable, "-m", "tools.stubs", "--check"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_kinds_that_were_seen_become_one_type():
    assert union({"int", "float", "None"}) == "_float | None"
    assert union({"Tensor", "int", "[int]"}) == "Tensor | _int | Sequence[_int]"
    assert union({"[Tensor]"}) == "Sequence[Tensor]"
