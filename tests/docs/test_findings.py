"""Pages of the doctor's findings: the broken program is told its fault, the repaired one is left alone."""

import pytest

from rushlight.doctor.catalogue import all_checks
from tools.docs import findings


def test_every_finding_has_a_repair():
    assert set(findings.REPAIRS) == set(all_checks())


@pytest.mark.parametrize("id", sorted(all_checks()))
def test_the_repaired_program_is_left_alone(id, tmp_path):
    watch = findings.watched(findings.repaired(id), tmp_path, everything=all_checks()[id].tier == 3)
    assert watch.error is None
    assert [(each.id, each.line, each.message) for each in watch.findings] == []


def test_a_page_shows_the_fault_its_line_and_the_repair(tmp_path):
    page = findings.page(all_checks()["history-detach"], tmp_path)
    broken, _, rest = page.partition("## Repaired")
    assert 'hl_lines="13"' in broken and "hidden = torch.tanh(encoder(x)).detach()\n" in broken
    assert "1. history-detach  train.py:13\n     hidden = torch.tanh(encoder(x)).detach()" in broken
    assert "# finding:" not in page and "How it went" not in page
    assert "hidden = torch.tanh(encoder(x))\n" in rest and "- A target network's output is detached" in rest


def test_a_repair_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setitem(findings.REPAIRS, "history-detach", {"script": "faulty_encoder.py", "change": [["absent", ""]]})
    with pytest.raises(ValueError, match="0 times, not once"):
        findings.repaired("history-detach")
