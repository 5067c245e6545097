"""Damaged and hostile files: refused by an error of a file's or loaded, nothing else. `make fuzz-files` does more."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys

import pytest

import rushlight as torch
from tests.serialization.damage import COMMAND, archived, records, stream
from tests.serialization.hostile_pickles import calls


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited and measured as Linux does")
def test_damaged_files_are_refused_or_loaded(tmp_path):
    command = [*COMMAND, "--run", "7000", "8500", str(tmp_path / "canary")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert sum(int(line.split()[0]) for line in done.stdout.splitlines()) == 1500


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
