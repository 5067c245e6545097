"""A page of user code under mypy and pyright: nothing wrong where nothing is, and every error found."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight

HERE = Path(__file__).parent
ROOT = Path(rushlight.__file__).parent.parent
WRONG = HERE / "wrong_code.py"


def mypy(path):
    """The lines with errors, by mypy's words."""
    installed = "site-packages" in ROOT.parts
    environment = os.environ if installed else {**os.environ, "MYPYPATH": str(ROOT)}
    options = ["--config-file=", "--strict-equality", "--check-untyped-defs", "--no-error-summary"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--follow-imports=silent", str(path)],
        capture_output=True,
        text=True,
        cwd=HERE,
        env=environment,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    errors = [line.split(":", 2) for line in done.stdout.splitlines() if ": error:" in line]
    return {int(line): words for _, line, words in errors}


def pyright(path, folder):
    """The lines with errors, by pyright's words."""
    settings = {"include": [str(path)], "extraPaths": [str(ROOT)], "typeCheckingMode": "standard"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "-p", str(folder), "--pythonpath", sys.executable],
        capture_output=True,
        text=True,
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [each for each in found if each["severity"] == "error"]
    return {each["range"]["start"]["line"] + 1: each["message"] for each in errors}


def lines_marked_wrong():
    lines = WRONG.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if line.endswith("# wrong")]


@pytest.mark.slow
def test_mypy_finds_the_types_of_right_code():
    assert mypy(HERE / "right_code.py") == {}


@pytest.mark.slow
def test_mypy_finds_every_error_of_wrong_code():
    assert list(mypy(WRONG)) == lines_marked_wrong()


@pytest.mark.slow
def test_pyright_finds_the_types_of_right_code(tmp_path):
    assert pyright(HERE / "right_code.py", tmp_path) == {}


@pytest.mark.slow
def test_pyright_finds_every_error_of_wrong_code(tmp_path):
    assert list(pyright(WRONG, tmp_path)) == lines_marked_wrong()
