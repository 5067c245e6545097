"""The page of coverage is current, and what it calls left out or planned is really absent."""

import importlib.util
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from rushlight.errors import absent

TOOL = Path(__file__).resolve().parents[2] / "tools" / "coverage.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("coverage_tool", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def names(tool):
    """Every name of torch that is known, without `torch.`, and those among them that are not there."""
    listed = [f"{place}.{name}" for place, words in tool.read(tool.NAMES).items() for name in words]
    known = {name.removeprefix("torch.") for name in [*listed, *tool.counts(), *tool.MODULES]}
    coverage = tool.Coverage()
    return known, {name for name in known if not coverage.has(f"torch.{name}")}


def test_the_page_is_current(tool):
    assert tool.PAGE.read_text(encoding="utf-8") == tool.page(), "run python tools/coverage.py"


def test_most_uses_of_the_core_are_implemented(tool):
    coverage, uses = tool.Coverage(), tool.counts()
    of_core = {
        name: count for name, (_, count, module) in uses.items() if name.rpartition(".")[0] in tool.CORE and not module
    }
    done = sum(count for name, count in of_core.items() if coverage.offers(name))
    assert done / sum(of_core.values()) > 0.97


def test_no_much_used_name_is_absent_without_a_reason(tool):
    coverage = tool.Coverage()
    unexplained = [
        name for name in tool.most_used(tool.counts()) if not coverage.offers(name) and coverage.why(name) == "absent"
    ]
    assert unexplained == []


def test_every_entry_of_the_table_is_about_an_absent_name(names):
    _, missing = names
    patterns = [each for *_, text in (*absent.LEFT_OUT, *absent.PLANNED) for each in text.split()]
    # the lists of names have no private ones
    patterns = [
        each for each in patterns if not each.rpartition(".")[2].startswith("_scaled_mm") and "aten._" not in each
    ]
    # private names are no part of the list of names, but users of them get a reason too
    public = [each for each in patterns if not each.rpartition(".")[2].startswith("_")]
    stale = [each for each in public if not any(fnmatchcase(name, each) for name in missing)]
    assert stale == []


def test_methods_that_refuse_are_left_out(tool):
    assert not tool.Coverage().has("torch.Tensor.to_sparse")
    assert tool.Coverage().state("torch.Tensor.to_sparse") == "left out"
    assert tool.Coverage().state("torch.Tensor.exp") == "implemented"
