"""`python -m rushlight script.py` runs a program as `python script.py` does."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import rushlight

# What a program can see of how it was started.
PORTRAIT = """\
import sys, pathlib
print(__name__, __file__, sys.argv, __package__, __spec__, __cached__, __doc__)
print(sys.path[0], sys.modules["__main__"].__dict__ is globals())
import neighbour
"""


def run(*arguments, cwd, rushlight_first=True):
    """A fresh interpreter, in which Rushlight is found where this process found it."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    environment["PYTHONPATH"] = str(Path(rushlight.__file__).parent.parent)
    program = [sys.executable, *(["-m", "rushlight"] if rushlight_first else []), *arguments]
    return subprocess.run(program, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60)


def run_both(*arguments, cwd):
    """The same program under `python -m rushlight` and under `python`."""
    return run(*arguments, cwd=cwd), run(*arguments, cwd=cwd, rushlight_first=False)


@pytest.fixture
def folder(tmp_path):
    """A program in a folder below the current one, with a module beside it."""
    program = tmp_path / "program"
    program.mkdir()
    (program / "script.py").write_text(PORTRAIT)
    (program / "neighbour.py").write_text("")
    return tmp_path


def test_torch_means_rushlight(folder):
    (folder / "script.py").write_text(
        "import torch\nimport torch.nn.functional as F\nfrom torch.distributions import Normal\n"
        "import rushlight\n"
        "print(torch.__version__, F is rushlight.nn.functional, torch.tensor([1.0, 2.0]) * 2)\n"
    )
    ran = run("script.py", cwd=folder)
    assert ran.stdout == "2.13.0 True tensor([2., 4.])\n", ran.stderr


def test_a_script_sees_what_python_would_show_it(folder):
    ours, pythons = run_both("program/script.py", "-a", "--b=1", cwd=folder)
    assert ours.returncode == pythons.returncode == 0
    assert ours.stdout == pythons.stdout


@pytest.mark.parametrize("name", ["program.script", "program"])
def test_a_module_sees_what_python_would_show_it(folder, name):
    for file in ("script.py", "__main__.py"):
        (folder / "program" / file).write_text(
            "import sys\nprint(__name__, __file__, sys.argv, __package__, __spec__.name, sys.path[0])\n"
        )
    ours, pythons = run_both("-m", name, "-m", "x", cwd=folder)
    assert ours.stdout == pythons.stdout != ""


def test_a_folder_and_an_archive_run(folder):
    (folder / "program" / "__main__.py").write_text("import torch, neighbour\nprint(torch.__version__)")
    with zipfile.ZipFile(folder / "program.zip", "w") as archive:
        for file in ("__main__.py", "neighbour.py"):
            archive.write(folder / "program" / file, file)
    for path in ("program", "program.zip"):
        ran = run(path, cwd=folder)
        assert ran.stdout == "2.13.0\n", ran.stderr


@pytest.mark.parametrize(
    "source",
    [
        "def fail():\n    raise ValueError('here')\nfail()\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise KeyError('later') from error\n",
        "if True print('no')\n",
        "import sys\nsys.exit(7)\n",
        "import sys\nsys.exit('a message')\n",
        "raise KeyboardInterrupt\n",
    ],
)
def test_tracebacks_and_exit_codes_are_pythons(folder, source):
    (folder / "script.py").write_text(source)
    ours, pythons = run_both("script.py", cwd=folder)
    assert ours.stderr == pythons.stderr
    assert ours.returncode == pythons.returncode


def test_a_traceback_in_a_module_begins_there(folder):
    (folder / "script.py").write_text("raise ValueError('here')\n")
    ran = run("-m", "script", cwd=folder)
    assert ran.stderr.splitlines()[1] == f'  File "{folder}/script.py", line 1, in <module>'


def test_a_missing_script_is_reported_as_python_does(folder):
    ours, pythons = run_both("nowhere.py", cwd=folder)
    assert ours.stderr.split(":", 1)[1] == pythons.stderr.split(":", 1)[1]
    assert ours.returncode == pythons.returncode == 2


def test_classes_of_the_script_can_be_pickled(folder):
    (folder / "script.py").write_text(
        "import pickle\nclass Thing:\n    pass\nprint(type(pickle.loads(pickle.dumps(Thing()))) is Thing)\n"
    )
    assert run("script.py", cwd=folder).stdout == "True\n"


def test_help_and_version(folder):
    assert run("--help", cwd=folder).stdout.startswith("usage: python -m rushlight script.py")
    assert run("--version", cwd=folder).stdout == f"Rushlight {rushlight.__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["-m"], ["--unknown"]])
def test_wrong_use_shows_the_usage(folder, arguments):
    ran = run(*arguments, cwd=folder)
    assert ran.returncode == 2
    assert "usage: python -m rushlight" in ran.stderr


def test_importing_rushlight_does_not_import_the_hook(folder):
    program = "import rushlight, sys; print('rushlight.compat' in sys.modules)"
    ran = run("-c", program, cwd=folder, rushlight_first=False)
    assert ran.stdout == "False\n", ran.stderr
