"""The README's example learns; that it runs is seen with the other pages, in tests/docs."""

from pathlib import Path

from tools.docs import blocks

README = Path(__file__).resolve().parent.parent / "README.md"


def test_the_example_learns():
    (example,) = blocks.blocks_of(README.read_text(encoding="utf-8"))
    page = blocks.Page("readme.py")
    assert page.run(example).startswith("tensor(0.0")
    assert page.module.loss.item() < 0.05
