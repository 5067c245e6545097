"""The README: its example learns, and what it claims is what the pages that it names have measured."""

import re
from pathlib import Path

from tools.docs import blocks, pictures

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def words(text):
    return " ".join(text.split())


def test_the_example_learns():
    (example,) = blocks.blocks_of(README)
    page = blocks.Page("readme.py")
    assert page.run(example).startswith("tensor(0.0")
    assert page.module.loss.item() < 0.05


def test_it_fits_on_a_screen():
    assert len(README.splitlines()) <= 60


def test_times_are_those_of_the_benchmarks():
    assert "network 64 wide takes less than a tenth of PyTorch's time, an import less than a fifth" in words(README)
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    rows = {name: name for name in ("MLP step, batch 1, width 64", "MLP step, batch 64, width 64", "import")}
    small, larger, imported = (row["Rushlight"] for row in pictures.ratios(page, rows).values())
    assert max(small, larger) < 0.1 and imported < 0.2


def test_what_is_asked_of_random_programs_is_what_conformance_asks():
    assert "unless 99 of 100 agree throughout" in words(README)
    assert re.search(r"^PROGRAMS := --whole 0\.99 ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_packages_are_those_of_the_page():
    (claim,) = re.findall(r"\d+ of \d+ programs", README)
    assert f"\n{claim} run;" in (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")


def test_the_version_is_that_of_the_package():
    import rushlight

    assert f"It is version {rushlight.__version__.rpartition('.')[0]}," in words(README)
    shown = (ROOT / "docs" / "from_pytorch.md").read_text(encoding="utf-8")
    assert f"is not in Rushlight {rushlight.__version__}" in shown
