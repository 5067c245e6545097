"""Event files hold what torch's hold, record for record."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("tensorboard")
pytest.importorskip("PIL")
torch = pytest.importorskip("torch")

SCRIPT = Path(__file__).with_name("logged.py")


def logged(folder, *options):
    from tests.utils.event_files import events

    subprocess.run([sys.executable, "-W", "ignore", *options, str(SCRIPT), str(folder)], check=True)
    return events(folder)


def test_the_same_program_logs_the_same_records(tmp_path):
    theirs, ours = logged(tmp_path / "torch"), logged(tmp_path / "rushlight", "-m", "rushlight")
    assert theirs.keys() == ours.keys()
    for place, expected in theirs.items():
        for one, two in zip(expected, ours[place], strict=True):
            if "session_start_info" in str(one):
                # a map, which protobuf writes in no order
                assert sorted(re.sub(r"\W", "", str(one))) == sorted(re.sub(r"\W", "", str(two)))
            else:
                assert one == two


def test_the_files_of_the_projector_are_the_same(tmp_path):
    logged(tmp_path / "torch")
    logged(tmp_path / "rushlight", "-m", "rushlight")
    files = [each.relative_to(tmp_path / "torch") for each in (tmp_path / "torch").rglob("*") if each.suffix]
    kept = [each for each in files if "tfevents" not in each.name]
    assert len(kept) == 6
    assert all(
        (tmp_path / "torch" / each).read_bytes() == (tmp_path / "rushlight" / each).read_bytes() for each in kept
    )
