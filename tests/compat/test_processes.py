"""Processes that start afresh run the program on Rushlight too."""

import multiprocessing.spawn
import os
import subprocess
import sys

import pytest

from rushlight import compat

PROGRAM = """
import multiprocessing
import torch
import torch.nn as nn

def work(module, answers):
    answers.put((repr(torch), type(module).__module__, module(torch.ones(1, 2)).item()))

if __name__ == "__main__":
    context = multiprocessing.get_context("{method}")
    answers = context.SimpleQueue()
    module = nn.Linear(2, 1)
    nn.init.ones_(module.weight)
    nn.init.zeros_(module.bias)
    process = context.Process(target=work, args=(module, answers))
    process.start()
    process.join()
    print(process.exitcode, *(answers.get() if process.exitcode == 0 else ()))
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_new_process_imports_the_same_torch(method, tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(method=method))
    run = subprocess.run([sys.executable, "-m", "rushlight", str(script)], capture_output=True, text=True)
    assert run.stdout.startswith("0 <module 'torch' (Rushlight"), run.stderr
    assert run.stdout.endswith("torch.nn.modules.linear 2.0\n")


def test_torch_means_what_it_did_after_uninstall():
    own = multiprocessing.spawn.get_preparation_data
    with compat.installed():
        assert "rushlight" in multiprocessing.spawn.get_preparation_data("child")
    assert multiprocessing.spawn.get_preparation_data is own


# what loky and joblib do: a module of theirs says how a new process begins, and is read by its name
LOKY = """
import pickle
import subprocess
import sys

def get_preparation_data(name, init_main_module=True):
    return {"name": name}

def ask():
    begin = "import pickle, sys; pickle.load(sys.stdin.buffer); import torch; print(repr(torch))"
    data = pickle.dumps(globals()["get_preparation_data"]("child", init_main_module=False))
    return subprocess.run([sys.executable, "-c", begin], input=data, capture_output=True).stdout.decode()
"""


@pytest.mark.parametrize("name", ["loky", "joblib.externals.loky"])
def test_processes_of_loky_begin_alike(name, tmp_path):
    folder = tmp_path
    for part in [*name.split("."), "backend"]:
        folder = folder / part
        folder.mkdir()
        (folder / "__init__.py").write_text("")
    (folder / "spawn.py").write_text(LOKY)
    script = tmp_path / "program.py"
    script.write_text(f"import torch\nfrom {name}.backend import spawn\nprint(spawn.ask())\n")
    paths = os.environ | {"PYTHONPATH": str(tmp_path)}
    run = subprocess.run([sys.executable, "-m", "rushlight", str(script)], capture_output=True, text=True, env=paths)
    assert run.stdout.startswith("<module 'torch' (Rushlight"), run.stdout + run.stderr
