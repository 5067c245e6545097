"""Pages that are made of other things: the command line, the changelog, the bars, and where they stand."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import rushlight
from rushlight import cli
from rushlight.ops.machine import late
from tools.docs import gathering, hooks, pictures, small_pages

ROOT = Path(__file__).resolve().parents[2]


def test_the_command_line_has_every_tool_with_its_options():
    page = small_pages.command_line()
    assert all(f"\n## {name}\n" in page for name in cli.TOOLS)
    assert "--html FILE" in page and "--nproc" in page


def test_the_changelog_has_every_fragment_once(tmp_path):
    page = small_pages.changelog(tmp_path)
    for path in small_pages.fragments():
        assert page.count(f"- {gathering.rewritten(path, ROOT, tmp_path).strip()}".replace("\n", "\n  ")) == 1, (
            path.name
        )
    assert "(../docs/" not in page
    # of each version, of which the newest may have no additions yet
    released = page[page.index(f"## {rushlight.__version__} (") :]
    assert released.index("### Added") < released.index("### Fixed")


def test_the_bars_are_the_numbers_of_the_benchmarks():
    page = (ROOT / "docs" / "benchmarks.md").read_text()
    found = pictures.ratios(page)
    assert set(found) == set(pictures.ROWS)
    assert f"({found['LeNet step, batch 64']['Rushlight']:.2f})" in page
    picture = pictures.bars(page)
    assert picture.count("<rect") == 1 + len(pictures.COLUMNS) + sum(
        column in row for row in found.values() for column in pictures.COLUMNS
    )
    with pytest.raises(ValueError, match="has no row"):
        pictures.bars(page.replace("| import |", "| something |"))


def test_generated_pages_take_their_places(tmp_path):
    (tmp_path / "navigation.json").write_text(json.dumps({"Findings": [["a", "findings/a.md"]]}))
    config = SimpleNamespace(
        docs_dir=str(tmp_path / "docs"), nav=[{"Home": "index.md"}, {"Doctor": [{"All": "...Findings"}]}]
    )
    assert hooks.on_config(config).nav == [{"Home": "index.md"}, {"Doctor": [{"All": [{"a": "findings/a.md"}]}]}]


def test_short_names_are_found_first(tmp_path):
    names = ["reference/a.html#cross_entropy", "reference/a.html#linear_cross_entropy", "index.html#cross_entropy"]
    index = {"docs": [{"location": name, "title": name.partition("#")[2]} for name in names]}
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "search_index.json").write_text(json.dumps(index))
    hooks.on_post_build(SimpleNamespace(site_dir=str(tmp_path)))
    short, long, other = json.loads((tmp_path / "search" / "search_index.json").read_text())["docs"]
    assert short["boost"] > long["boost"] > 1 and "boost" not in other


def test_there_are_as_many_operations_as_the_first_page_says():
    assert "[six hundred operations]" in (ROOT / "docs" / "index.md").read_text()
    assert sum(not name.startswith("_") for name in late.registry()) >= 600


def test_every_page_stands_in_the_navigation():
    listed = set(re.findall(r"(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    written = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert not written - listed
    books = {"notebooks/quickstart.md", "notebooks/doctor.md"}
    assert listed - written == {"command_line.md", "changelog.md", "contributing.md", "reference/index.md"} | books


def test_nothing_is_fetched_when_a_page_is_viewed():
    for path in [ROOT / "mkdocs.yml", *(ROOT / "docs" / "assets").iterdir()]:
        assert "https://" not in path.read_text() and "http://" not in path.read_text(), path.name
    # MkDocs would add one from elsewhere unless there is one of this name
    assert "iframe-worker" in (ROOT / "mkdocs.yml").read_text() and "font: false" in (ROOT / "mkdocs.yml").read_text()
