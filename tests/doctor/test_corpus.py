"""The corpus: every script with a fault is told about it on the right line, every innocent one is left alone."""

import pytest

from rushlight.doctor.catalogue import all_checks
from tests.doctor.scripts import CORPUS, expected, watch_script

SCRIPTS = sorted(CORPUS.glob("*/*/*.py"))
FAULTY = [path for path in SCRIPTS if path.name.startswith("faulty")]
INNOCENT = [path for path in SCRIPTS if path.name.startswith("innocent")]


def name_of(path):
    return str(path.relative_to(CORPUS))


@pytest.mark.parametrize("path", FAULTY, ids=name_of)
def test_a_faulty_script_is_told_its_fault_and_nothing_else(path):
    wanted = expected(path)
    assert {id for id, _ in wanted} >= {path.parent.name}, "the script names its own fault"
    watch = watch_script(path, all=all_checks()[path.parent.name].tier == 3)
    assert {(each.id, each.line) for each in watch.findings} == wanted


@pytest.mark.parametrize("path", INNOCENT, ids=name_of)
def test_an_innocent_script_is_left_alone(path):
    watch = watch_script(path, all=all_checks()[path.parent.name].tier == 3)
    assert watch.error is None
    assert [(each.id, each.line, each.message) for each in watch.findings] == []


@pytest.mark.parametrize("id", sorted(all_checks()))
def test_each_check_has_two_faulty_and_two_innocent_scripts(id):
    own = [path for path in SCRIPTS if path.parent.name == id]
    assert sum(path in FAULTY for path in own) >= 2
    assert sum(path in INNOCENT for path in own) >= 2
