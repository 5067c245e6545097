"""The graph example prints and draws what PyTorch keeps of a recurrence."""

import runpy
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "graph.py"
# What PyTorch 2.13 prints for the same file.
LINES_OF_TORCH = """\
x: 1.0000  requires_grad True   is_leaf True   grad_fn None  grad None
y: 2.0000  requires_grad True   is_leaf True   grad_fn None  grad None
z: 2.0000  requires_grad True   is_leaf False  grad_fn MulBackward0  grad None
z's node saved x = 1.0 and y = 2.0
after z.backward():
x: 1.0000  requires_grad True   is_leaf True   grad_fn None  grad 2.0
y: 2.0000  requires_grad True   is_leaf True   grad_fn None  grad 1.0
what z's node saved is gone: backward has freed it

d(x ** 2 + x.detach() ** 3) = [2.0, 2.0, 2.0], d(x ** 2) = [2.0, 2.0, 2.0]

function MeanBackward0
function PowBackward0  saved self 0.91 -0.29
function TanhBackward0  saved result 0.91 -0.29
function AddBackward0
leaf     bias
function MulBackward0  saved other 1.00 1.00
leaf     weight
5 functions, 2 leaves
picture: graph.png
""".splitlines()


def run(monkeypatch, capsys, *words):
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *words])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    return capsys.readouterr().out.splitlines()


def test_it_prints_the_graph_of_torch_and_draws_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, capsys, "--steps", "1") == LINES_OF_TORCH
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_more_steps_make_a_larger_graph(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert "17 functions, 2 leaves" in run(monkeypatch, capsys, "--steps", "5", "--plot", "other.png")
    assert (tmp_path / "other.png").exists()
