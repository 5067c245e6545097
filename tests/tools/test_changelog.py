"""The changelog: fragments become entries of a version, and what was there stays."""

import pytest

import rushlight
from tools import changelog


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "7.fixed.md").write_text("One\nline more, see [files](../docs/files.md).\n")
    (tmp_path / "12.added.2.md").write_text("Two.\n")
    (tmp_path / "12.added.md").write_text("Three.\n")
    (tmp_path / "README.md").write_text("no fragment\n")
    return tmp_path


FIRST = """\
# Changelog

## 0.2.0 (2026-11-18)

### Added

- Three.
- Two.

### Fixed

- One
  line more, see [files](docs/files.md).
"""


def test_the_version_is_that_of_the_package():
    assert changelog.version() == rushlight.__version__


def test_fragments_come_newest_change_first_below_their_kinds(folder):
    entries = changelog.by_kind(changelog.fragments(folder))
    assert changelog.gathered("# Changelog\n", entries, "0.2.0", "2026-11-18") == FIRST


def test_a_version_takes_in_what_came_since(folder):
    text = changelog.gathered(FIRST, {"Fixed": ["Four."], "Removed": ["Five."]}, "0.2.0", "2026-12-01")
    assert text == FIRST.replace("- One", "- Four.\n- One") + "\n### Removed\n\n- Five.\n"


def test_the_next_version_stands_above_and_leaves_the_rest_alone():
    text = changelog.gathered(FIRST, {"Changed": ["Four."]}, "0.3.0", "2026-12-01")
    assert text == FIRST.replace("## 0.2.0", "## 0.3.0 (2026-12-01)\n\n### Changed\n\n- Four.\n\n## 0.2.0", 1)


def test_the_citation_has_the_version_and_its_date():
    text = "cff-version: 1.2.0\nversion: 0.1.0\ndate-released: 2026-01-01\n"
    changed = changelog.cited(text, "0.2.0", "2026-11-18")
    assert changed == "cff-version: 1.2.0\nversion: 0.2.0\ndate-released: 2026-11-18\n"


def test_words_that_introduce_a_version_stay():
    introduced = FIRST.replace("### Added", "In a sentence.\n\n### Added", 1)
    assert changelog.gathered(introduced, {}, "0.2.0", "2026-12-01") == introduced


def test_a_kind_that_is_none_is_refused(folder):
    (folder / "13.repaired.md").write_text("Six.\n")
    with pytest.raises(ValueError, match=r"13\.repaired\.md: the kind is one of added, changed, fixed, removed"):
        changelog.by_kind(changelog.fragments(folder))
