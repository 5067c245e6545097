"""Damaged and hostile files: refused by an error of a file's or loaded, nothing else. `make fuzz-files` does more."""

from __future__ import annotations

import io
import os
import pickle
import subprocess
import sys

import pytest

import rushlight as torch
from tests.serialization.damage import archived, records, stream
from tests.serialization.hostile_pickles import calls


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited and measured as Linux does")
def test_damaged_files_are_refused_or_loaded(tmp_path):
    command = [sys.executable, "-m", "tests.serialization.damage", "--run", "7000", "8500", str(tmp_path / "canary")]
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    paths = os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, env={**os.environ, "PYTHONPATH": paths})
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def test_no_call_of_a_hostile_pickle_is_made(tmp_path):
    canary = tmp_path / "canary"
    file = io.BytesIO()
    torch.save(torch.ones(1), file)
    found = records(file.getvalue())
    for each in calls(str(canary)):
        for data in (archived(found | {"data.pkl": each}), stream(each)):
            with pytest.raises(pickle.UnpicklingError):
                torch.load(io.BytesIO(data))
    assert not canary.exists()
