"""The plugin for pytest: a test with a finding fails with it."""

import subprocess
import sys

import pytest

TESTS = """\
import torch
from torch import nn


def train(cut):
    first, second = nn.Linear(2, 3), nn.Linear(3, 1)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    x = torch.ones(4, 2)
    for _ in range(5):
        hidden = first(x)
        hidden = hidden.detach() if cut else hidden
        optimizer.zero_grad()
        second(hidden).sum().backward()
        optimizer.step()


def test_whole():
    train(cut=False)


def test_cut():
    train(cut=True)
"""


@pytest.fixture
def run(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)

    def run(*options):
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, "test_it.py"]
        if "rushlight.doctor.pytest_plugin" not in plugins():
            command[3:3] = ["-p", "rushlight.doctor.pytest_plugin"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)

    return run


def plugins():
    """The plugins that installed packages bring along."""
    from importlib.metadata import entry_points

    return [each.value for each in entry_points(group="pytest11")]


def test_a_test_with_a_finding_fails(run):
    done = run("--rushlight-doctor")
    assert "1 failed, 1 passed" in done.stdout
    assert "history-detach" in done.stdout and "test_it.py:11" in done.stdout


@pytest.mark.thorough
def test_an_ignored_finding_fails_nothing(run):
    assert "2 passed" in run("--rushlight-doctor", "--rushlight-doctor-ignore", "history-detach").stdout
