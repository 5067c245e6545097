"""The ensemble example: the losses that PyTorch prints, and a picture of where the networks part."""

import runpy
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ensemble.py"
# What PyTorch 2.13 prints for the same file and seed: it has learned by the last line.
LINES_OF_TORCH = [
    "    0 0.5536",
    "   25 0.1602",
    "   50 0.1460",
    "loss from 0.1419 to 0.1466",
    "spread at the points 0.0252, between them 0.0157",
]


def test_it_learns_as_under_torch(tmp_path, monkeypatch, capsys):
    # in this process: another one would take longer to begin than the example to learn
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sys, "argv", [str(EXAMPLE), "--steps", "51", "--networks", "4", "--print-every", "25", "--no-progress"]
    )
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == LINES_OF_TORCH
    assert (tmp_path / "ensemble.png").read_bytes().startswith(b"\x89PNG")
