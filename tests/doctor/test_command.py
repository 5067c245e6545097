"""`python -m rushlight doctor`: what it prints where, its exit codes, and its options."""

import json
import os
import subprocess
import sys

import pytest

BROKEN = """\
import torch
from torch import nn

torch.manual_seed(0)
first, second = nn.Linear(2, 4), nn.Linear(4, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
x = torch.randn(8, 2)
for step in range(6):
    loss = second(first(x).detach()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step)
"""
WHOLE = BROKEN.replace(".detach()", "")


@pytest.fixture
def doctor(tmp_path):
    def doctor(source, *options, arguments=()):
        (tmp_path / "train.py").write_text(source)
        command = [sys.executable, "-m", "rushlight", "doctor", *options, "train.py", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    return doctor


def test_a_finding_names_the_line_and_the_repair(doctor):
    done = doctor(BROKEN)
    assert done.returncode == 1
    assert "history-detach  train.py:9" in done.stdout
    assert "loss = second(first(x).detach()).pow(2).mean()" in done.stdout
    assert "first.weight and first.bias" in done.stdout
    assert done.stdout.startswith("step 0\n")


def test_nothing_found_is_said_and_is_success(doctor):
    done = doctor(WHOLE)
    assert done.returncode == 0
    assert "Nothing found in 6 optimizer steps." in done.stdout
    assert "4 parameters were moved: all of them learn." in done.stdout


@pytest.mark.thorough
def test_json_stands_alone_on_standard_output(doctor):
    done = doctor(BROKEN, "--json")
    (finding,) = json.loads(done.stdout)
    assert finding["id"] == "history-detach" and finding["line"] == 9 and finding["severity"] == "error"
    assert finding["file"].endswith("train.py") and finding["parameters"] == ["first.weight", "first.bias"]
    assert isinstance(finding["evidence"], dict) and "detach" in finding["message"]
    assert "step 5" in done.stderr
    assert json.loads(doctor(WHOLE, "--json").stdout) == []


def test_json_stays_alone_where_other_processes_print(doctor):
    done = doctor("import subprocess\nsubprocess.run(['echo', 'hello'])\n", "--json")
    assert done.stdout == "[]\n" and "hello" in done.stderr


@pytest.mark.thorough
def test_steps_ends_the_program_early(doctor):
    done = doctor(WHOLE, "--steps", "2")
    assert done.returncode == 0
    assert "step 0" in done.stdout and "step 2" not in done.stdout
    assert "in 2 optimizer steps" in done.stdout


@pytest.mark.thorough
def test_a_finding_can_be_ignored_by_option_and_by_comment(doctor):
    assert doctor(BROKEN, "--ignore", "history-detach").returncode == 0
    meant = BROKEN.replace(".mean()", ".mean()  # rushlight: ignore[history-detach]")
    assert doctor(meant).returncode == 0
    other = BROKEN.replace(".mean()", ".mean()  # rushlight: ignore[history-item]")
    assert doctor(other).returncode == 1


def test_an_unknown_id_is_refused_with_the_ids(doctor):
    done = doctor(BROKEN, "--ignore", "no-such-thing")
    assert done.returncode == 2 and "history-detach" in done.stderr


@pytest.mark.thorough
def test_a_script_that_fails_by_itself_has_code_2_and_its_traceback(doctor):
    done = doctor("import torch\nraise OSError('no disk')\n")
    assert done.returncode == 2
    assert "OSError: no disk" in done.stderr and 'File "' in done.stderr
    assert doctor("import sys\nsys.exit(3)\n").returncode == 2
    assert doctor("import sys\nsys.exit(0)\n").returncode == 0


@pytest.mark.thorough
def test_what_rushlight_lacks_is_said_so(doctor):
    done = doctor(WHOLE + "torch.ones(1).cuda()\n")
    assert done.returncode == 2
    assert "needs what Rushlight lacks" in done.stdout and "6 steps" in done.stdout


def test_the_script_sees_its_own_arguments(doctor):
    done = doctor("import sys\nprint(sys.argv)\n", arguments=("--json", "x"))
    assert "['train.py', '--json', 'x']" in done.stdout


def test_a_module_is_run_by_its_name(tmp_path):
    (tmp_path / "trained.py").write_text(BROKEN)
    command = [sys.executable, "-m", "rushlight", "doctor", "-m", "trained"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 1 and "history-detach" in done.stdout


def test_the_page_is_one_file_without_links_to_elsewhere(doctor, tmp_path):
    doctor(BROKEN, "--html", "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "history-detach" in page and "gradients stop here" in page and "<svg" in page
    assert "http" not in page and "<script" not in page


def test_the_list_shows_every_check():
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "doctor", "--list"], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0
    assert all(" tier " in line for line in done.stdout.splitlines()) and "history-detach" in done.stdout
