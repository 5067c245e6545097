"""The tools of the command line: what they print, and what they say of a name that is not there."""

import re
import sys

import pytest

import rushlight
from rushlight.cli import TOOLS, main


@pytest.fixture
def use(monkeypatch, capsys):
    """Run a command line; its exit code and what it printed on both streams."""

    def use(*arguments):
        monkeypatch.setattr(sys, "argv", ["rushlight", *arguments])
        try:
            main()
            code = 0
        except SystemExit as error:
            code = error.code
        return code, *capsys.readouterr()

    return use


def test_an_op_is_shown_as_it_is_declared(use):
    code, shown, _ = use("show", "torch.mul")
    assert code == 0
    assert shown.startswith("torch.mul(input, other, *, out=None)\n")
    assert "Tensor.mul, Tensor.mul_, operator *" in shown
    assert re.search(r"declared +\S*ops/pointwise/arithmetic.py:\d+", shown)
    assert re.search(r"grad of other +lambda grad, input", shown)
    assert "mul(float32[3, 4], float32[3, 4])" in shown
    assert ">>> torch.tensor([1, 2, 3]) * " in shown


def test_a_formula_comes_with_the_function_it_calls(use):
    assert "def tanh_slope(input, result):" in use("show", "tanh")[1]
    # a parameter of the formula that is called like the op
    assert "def threshold" not in use("show", "threshold")[1]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("F.linear", "torch.nn.functional.linear(input, weight, bias=None"),
        ("linear", "torch.nn.functional.linear("),
        ("Tensor.add_", "torch.add("),
        ("arctan", "torch.atan("),
        ("linalg.svd", "torch.linalg.svd(A"),
        ("Tensor.view", "Tensor.view(input, *shape"),
        ("nn.Linear", "torch.nn.Linear(in_features"),
        ("manual_seed", "torch.manual_seed(seed"),
    ],
)
def test_names_are_those_that_programs_write(use, name, first):
    code, shown, _ = use("show", name)
    assert code == 0 and shown.startswith(first)


def test_every_op_can_be_shown():
    from rushlight.cli.show import about
    from rushlight.ops.machine.late import registry

    for op in list(registry().values())[::7]:
        assert len("\n".join(about(op))) > 50


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sotfmax", "did you mean softmax?"),
        ("utils.tensorboard.nonsense", "not in Rushlight"),
        ("zzzzzz", "there is no operation 'zzzzzz'"),
    ],
)
def test_a_name_that_is_not_there_says_what_is_nearest(use, name, words):
    code, _, complaint = use("show", name)
    assert code == 1 and words in complaint


def test_bench_prints_a_row_for_each_work(use):
    code, shown, _ = use("bench", "--seconds", "0.002")
    rows = shown.splitlines()
    assert code == 0 and "Rushlight" in rows[0] and "NumPy" in rows[0]
    assert len(rows) == 6 and all(re.search(r"\d\.\d", row) for row in rows[1:])


def test_info_tells_what_runs_here(use):
    code, shown, _ = use("info")
    assert code == 0 and rushlight.__version__ in shown and "torch " in shown
    assert "kernels" in use("info", "--kernels")[1]


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_has_help_and_stands_in_the_usage(use, name):
    code, shown, _ = use(name, "--help")
    assert code == 0 and shown.startswith(f"usage: python -m rushlight {name}")
    assert f"\n  {name} " in use("help")[1]


def test_a_misspelt_command_is_recognized(use):
    code, _, complaint = use("shwo")
    assert code == 2 and "did you mean the command `show`?" in complaint


def test_run_runs_a_script_that_is_called_like_a_command(use, tmp_path, monkeypatch):
    (tmp_path / "info").write_text("import sys, torch\nprint(torch.__version__, sys.argv)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    path = list(sys.path)
    monkeypatch.setattr(sys, "path", path)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    try:
        assert use("run", "info", "-x")[1] == "2.13.0 ['info', '-x']\n"
    finally:
        rushlight.compat.uninstall()


def test_completion_needs_nothing_installed(use, monkeypatch):
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    monkeypatch.setitem(sys.modules, "argcomplete", None)
    assert use("--version") == (0, f"Rushlight {rushlight.__version__}\n", "")
