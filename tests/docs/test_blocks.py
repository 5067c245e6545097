"""Every Python block of the pages and the README runs, and prints what the page shows."""

import re
import warnings
from pathlib import Path

import pytest

from rushlight import native
from tools.docs import blocks

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    path for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if "```python" in path.read_text()
]
NATIVE = "<!-- needs native code -->"
NEEDS = re.compile(r"<!-- needs (\w+), of the extra (\w+) -->")


# Python 3.12 warns of loaders that fork, as torch's do
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_output_shown_is_the_output(path):
    if NATIVE in path.read_text() and native.extension is None:
        pytest.skip("the page tells what native code does")
    for module, extra in NEEDS.findall(path.read_text()):
        pytest.importorskip(module, reason=f"needs the extra: pip install 'rushlight[{extra}]'")
    assert not list(blocks.complaints(path))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_block_of_python_is_found(path):
    text = path.read_text()
    shown = [block for block in blocks.blocks_of(text) if "<!-- run:\n" + block.source not in text]
    assert len(shown) == len(re.findall(r"^\s*```python", text, re.MULTILINE))


def write(folder, text):
    path = folder / "page.md"
    path.write_text(text)
    return path


def test_a_page_that_shows_something_else_is_found(tmp_path):
    page = write(tmp_path, "```python\nprint(1 + 1)\n```\n```text\n3\n```\n")
    (complaint,) = blocks.complaints(page)
    assert "prints\n2" in complaint and "shows\n3" in complaint
    page.write_text(blocks.written(page))
    assert not list(blocks.complaints(page))


def test_blocks_share_their_names_and_hidden_ones_run_too(tmp_path):
    page = write(
        tmp_path,
        "<!-- run:\nx = 2\n-->\n```python\ny = x * 3\n```\nwords\n```python\nprint(y)\n```\n\n```text\n6\n```\n",
    )
    assert not list(blocks.complaints(page))
    assert [printed for _, printed in blocks.ran(page)] == ["", "", "6\n"]


def test_errors_and_warnings_are_not_swallowed(tmp_path):
    with pytest.raises(ZeroDivisionError):
        list(blocks.complaints(write(tmp_path, "```python\n1 / 0\n```\n")))
    with warnings.catch_warnings(), pytest.raises(UserWarning):
        warnings.simplefilter("error")
        list(blocks.complaints(write(tmp_path, "```python\nimport warnings\nwarnings.warn('x')\n```\n")))


def test_a_quotation_that_the_file_has_not_is_found(tmp_path):
    quoted = "<!-- excerpt: tools/docs/blocks.py -->\n```python\nclass Page:\n    ...\n    def {}(self, block: Block)"
    quoted += " -> str:\n```\n"
    assert not list(blocks.complaints(write(tmp_path, quoted.format("run"))))
    with pytest.raises(AssertionError, match=r"quotes tools/docs/blocks\.py"):
        list(blocks.complaints(write(tmp_path, quoted.format("walk"))))
