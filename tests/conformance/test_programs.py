"""Programs written for PyTorch print under Rushlight what they print under PyTorch, at every step of their training."""

import contextlib
import io
import runpy

import pytest

from tests.programs.output import FOLDER, Output, run

torch = pytest.importorskip("torch")

PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if "print(" in path.read_text())

# Sums are rounded in another order, and training multiplies the difference: 1e-7 at the first step, up to 1e-4 at the
# last. PyTorch with one and with two threads differs as much.
TOLERANCE = 1e-3
# a share of pixels above a threshold: one pixel more or less is 1e-3 of it
TOLERANCES = {"unet": 5e-3}


@pytest.fixture
def one_thread():
    """On cores that are shared, PyTorch's threads wait for each other, and a program of seconds takes minutes."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def run_torch(name):
    # in this process, for torch takes seconds to import
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        runpy.run_path(str(FOLDER / f"{name}.py"))
    return Output(text.getvalue())


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_step_is_torchs(name):
    ours, torchs = run(name), run_torch(name)
    assert ours.words == torchs.words
    # printed to six decimals
    assert ours.numbers == pytest.approx(torchs.numbers, rel=TOLERANCES.get(name, TOLERANCE), abs=1e-5)
