"""The physics-informed example: the losses that PyTorch prints on the way to the equation, and a picture."""

import runpy
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "pinn.py"
# What PyTorch 2.13 prints for the same file and seed: it has learned by the last line.
LINES_OF_TORCH = ["    0 6.8334", "   20 2.8151", "   40 2.2604", "error 0.1587 on average, 0.5307 at most"]


def test_it_learns_as_under_torch(tmp_path, monkeypatch, capsys):
    # in this process: another one would take longer to begin than the example to learn
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sys, "argv", [str(EXAMPLE), "--steps", "41", "--points", "50", "--print-every", "20", "--no-progress"]
    )
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == LINES_OF_TORCH
    assert (tmp_path / "pinn.png").read_bytes().startswith(b"\x89PNG")
