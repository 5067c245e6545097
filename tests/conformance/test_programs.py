"""Programs written for PyTorch print under Rushlight what they print under PyTorch, at every step of their training."""

import pytest

from tests.programs.output import FOLDER, run

pytest.importorskip("torch")

PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if "print(" in path.read_text())

# Sums are rounded in another order, and training multiplies the difference: 1e-7 at the first step, up to 1e-4 at the
# last. PyTorch with one and with two threads differs as much.
TOLERANCE = 1e-3


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_step_is_torchs(name):
    ours, torchs = run(name, "-m", "rushlight"), run(name)
    assert ours.words == torchs.words
    # printed to six decimals
    assert ours.numbers == pytest.approx(torchs.numbers, rel=TOLERANCE, abs=1e-5)
