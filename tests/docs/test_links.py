"""Every relative link of the pages, the README and the other files for readers leads somewhere."""

from pathlib import Path

import pytest

from rushlight.doctor.catalogue import all_checks
from tools.docs import gathering, links, reference

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "changelog.d").glob("*.md")),
]
# made when the site is built
GENERATED = frozenset(
    {"command_line.md", "changelog.md", "assets/bars.svg", "findings/index.md", "reference/index.md"}
    | {f"findings/{id}.md" for id in all_checks()}
    | {f"reference/ops_{family}.md" for family in reference.FAMILIES}
)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(path):
    assert not links.broken(path, GENERATED)


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    (tmp_path / "there.md").touch()
    page.write_text(
        "[a](there.md#part) ![b](gone.png) [c](https://example.org) `[d](code.md)`\n```\n[e](block.md)\n```\n"
    )
    assert links.broken(page) == ["gone.png"]


def test_a_link_out_of_the_folder_becomes_a_page_of_the_site(tmp_path):
    gathering.gather(tmp_path)
    page = (tmp_path / "scaling.md").read_text()
    assert "(examples/ddp.md)" in page and "../examples" not in page
    assert (tmp_path / "examples" / "ddp.md").read_text().startswith("# examples/ddp.py\n")
    book = (tmp_path / "notebooks" / "quickstart.md").read_text()
    assert book.startswith("# Quickstart\n") and "(../quickstart.md)" in book and "(doctor.md)" in book
    assert "```text\ntensor([ 4., -2.])\n```" in book and "aria-label='histogram'" in book
    contributing = (tmp_path / "contributing.md").read_text()
    assert "[docs/adding_a_kernel.md](adding_a_kernel.md)" in contributing
    assert "[`docs/design/`](design/0001-declared-ops.md)" in contributing
