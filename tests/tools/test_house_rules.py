"""The house rules find what they forbid and leave the rest alone."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "house_rules.py"


@pytest.fixture(scope="module")
def rules():
    spec = importlib.util.spec_from_file_location("house_rules", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def check(rules):
    return lambda source: list(rules.check(source))


def lines(violations):
    return [line for line, _ in violations]


def test_a_clean_file_passes(check):
    assert check('"""What lives here."""\n\n# empty + assign: np.broadcast_to costs 3 us\nx = 1\n') == []


def test_an_empty_file_needs_no_docstring(check):
    assert check("") == []


def test_a_file_without_a_docstring_is_reported(check):
    assert lines(check("x = 1\n")) == [1]


def test_a_file_of_600_lines_is_too_long(check):
    assert check('"""Doc."""\n' + "x = 1\n" * 598) == []
    assert lines(check('"""Doc."""\n' + "x = 1\n" * 599)) == [600]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('    return "broadcast" in str(error)', [2]),
        ('    return str(error).startswith("The size of")', [2]),
        ('    words = str(error)\n    return "size" in words', [3]),
        ('    return error.args[0] == "wrong"', [2]),
        ('    try: pass\n    except ValueError as wrong: return str(wrong).endswith("x")', [3]),
        ('    return re.search("size", str(error))', [2]),
        ('    raise TypeError(f"add(): {error}")', []),
        ("    return str(error) or type(error).__name__", []),
        ('    return "tuple" in str(annotation)', []),
    ],
)
def test_an_error_is_not_known_by_its_text(rules, body, found):
    tree = rules.ast.parse(f"def recover(error, annotation=None):\n{body}\n")
    assert lines(rules.check_recognition(tree)) == found


@pytest.mark.parametrize(
    ("module", "source", "found"),
    [
        ("core.views", "from rushlight.autograd import engine", [1]),
        ("core.views", "from rushlight.autograd.modes import state", [1]),
        ("ops.machine.call", "from rushlight.autograd.modes import state", []),
        ("ops.machine.call", "from rushlight.autograd.engine import Run", [1]),
        ("autograd.engine", "from rushlight.ops.machine.call import call", []),
        ("nn.modules.linear", "from rushlight.optim import Adam", [1]),
        ("nn.modules.linear", "def late():\n    from rushlight.optim import Adam", []),
        ("compat.finder", "from rushlight import nn", []),
        ("core.views", "from rushlight import nn", [1]),
    ],
)
def test_imports_go_one_way(rules, module, source, found):
    assert lines(rules.check_imports(module, source)) == found


def test_native_files_say_what_they_are_and_keep_to_the_width(rules):
    assert list(rules.check_native("// What lives here.\nint x;\n")) == []
    assert lines(rules.check_native("int x;\n")) == [1]
    assert lines(rules.check_native("// What.\n" + "x" * 121 + "\n")) == [2]
    assert lines(rules.check_native("// What.\n// " + "TO" + "DO later\n")) == [2]


def test_a_function_of_60_lines_is_too_long(check):
    body = '"""Doc."""\n\n\nclass Thing:\n    async def method(self):\n'
    assert check(body + "        x = 1\n" * 58) == []
    assert lines(check(body + "        x = 1\n" * 59)) == [5]


def test_a_docstring_does_not_make_a_function_longer(check):
    docstring = '        """Doc.\n\n        >>> 1\n        1\n        """\n'
    assert check('"""Doc."""\n\n\nclass Thing:\n    def method(self):\n' + docstring + "        x = 1\n" * 58) == []


@pytest.mark.parametrize("word", ["TODO", "FIXME", "XXX"])
def test_unfinished_work_is_reported(check, word):
    assert lines(check(f'"""Doc."""\nx = 1  # {word}: more\n')) == [2]
    assert check(f'"""Doc."""\nx = "{word}"\n') == []


@pytest.mark.parametrize(
    "comment",
    [
        "x = 1",
        "print(x)",
        "import os",
        "from os import path",
        "return x + 1",
        "if x:",
        "for i in range(3):",
        "x += 1",
    ],
)
def test_commented_out_code_is_reported(check, comment):
    assert lines(check(f'"""Doc."""\n# {comment}\n')) == [2]


@pytest.mark.parametrize(
    "comment",
    ["return early", "shape: (N, C)", "x is small", "grad", "the 16 draws of randn", "a, b", "noqa: E501"],
)
def test_sentences_are_no_code(check, comment):
    assert check(f'"""Doc."""\n# {comment}\n') == []


def test_numpy_in_a_formula_is_reported(check):
    source = '"""Doc."""\nimport numpy as np\n'
    assert lines(check(source + "tanh.gradient(input=lambda grad: np.tanh(grad))\n")) == [3]
    assert check(source + "tanh.gradient(input=lambda grad, result: grad * result)\ny = np.ones(3)\n") == []


def test_numpy_in_a_formula_with_a_name_is_reported(check):
    source = '"""Doc."""\nimport numpy as np\ndef formula(grad):\n    return np.tanh(grad)\n'
    source += "tanh.gradient(input=formula)\n"
    assert lines(check(source)) == [4]


def test_the_program_names_file_and_line(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("x = 1\n")
    ran = subprocess.run([sys.executable, TOOL, file], capture_output=True, text=True)
    assert ran.returncode == 1
    assert ran.stdout.startswith(f"{file}:1: no module docstring")
    file.write_text('"""A number."""\n\nx = 1\n')
    assert subprocess.run([sys.executable, TOOL, file]).returncode == 0
