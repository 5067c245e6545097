"""The notebooks run from top to bottom and print what they show."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import rushlight as torch
from tools import notebooks

FILES = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path):
    for name in ("nbclient", "ipykernel"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"needs {name}: pip install 'rushlight[notebooks]'")
    # another process: a kernel is one anyway, and what the client warns of is no affair of ours
    environment = {**os.environ, "PYTHONPATH": str(Path(torch.__file__).resolve().parents[1])}
    ran = subprocess.run([sys.executable, notebooks.__file__, path], capture_output=True, text=True, env=environment)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_notebook_is_stored_with_its_outputs_and_without_what_changes(path):
    book = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert any("text/html" in output.get("data", {}) for cell in cells for output in cell["outputs"])
    assert not any(cell["metadata"] for cell in cells) and "ipykernel_" not in path.read_text(encoding="utf-8")


class Display(dict):
    """A display as nbformat gives it, whose names are attributes too."""

    __getattr__ = dict.__getitem__


def test_an_output_that_differs_is_seen():
    printed = SimpleNamespace(output_type="stream", text="1\n")
    display = Display(output_type="execute_result", data={"text/plain": "", "text/html": ""})
    cell = SimpleNamespace(cell_type="code", outputs=[printed, display])
    assert notebooks.shown(SimpleNamespace(cells=[cell])) == ["1\na display and text\n"]


def test_a_line_of_a_cell_is_named_by_the_cell(monkeypatch):
    compiler = SimpleNamespace(format_code_name=lambda path: ("Cell", "In[3]") if path == "/tmp/kernel/1.py" else None)
    shell = SimpleNamespace(compile=compiler)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    names = {"torch": torch}
    exec(compile("x = torch.ones(2, requires_grad=True)\ny = (x * 2).detach()", "/tmp/kernel/1.py", "exec"), names)
    assert "Cell In[3]:2" in names["y"].why_no_grad()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert "1.py:2" in names["y"].why_no_grad() and "Cell" not in names["y"].why_no_grad()
