"""Forms of generated functions, written ahead when the package is built: they are what an import would compile."""

import importlib.util
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight
from rushlight.ops.machine import generate

ROOT = Path(__file__).resolve().parent.parent.parent
IMPORT = """
import builtins, importlib.util, sys
spec = importlib.util.spec_from_file_location("rushlight.ops.machine.forms", sys.argv[1])
sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[spec.name])
compiled, compile_ = [], compile
def watched(text, name, *rest, **more):
    compiled.append((name, text))
    return compile_(text, name, *rest, **more)
builtins.compile = watched
import rushlight.nn
print([text for name, text in compiled if "<generated>" in str(name)])
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("forms") / "forms.py"
    subprocess.run([sys.executable, ROOT / "tools" / "forms.py", path], check=True)
    return path


def test_an_import_compiles_none_of_what_was_written_ahead(written):
    package = Path(rushlight.__file__).parent.parent
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(package)!r})\n{IMPORT}", written],
        capture_output=True,
        text=True,
    )
    assert ran.stdout == "[]\n", ran.stderr


def test_each_form_is_the_code_of_its_text(written, monkeypatch):
    forms = runpy.run_path(str(written))["FORMS"]
    assert len(forms) > 100
    for text in forms:
        monkeypatch.setattr(generate, "FORMS", forms)
        ahead = generate.code_of(text)
        monkeypatch.setattr(generate, "FORMS", {})
        code = generate.code_of(text)
        for part in (
            "co_code",
            "co_consts",
            "co_names",
            "co_varnames",
            "co_freevars",
            "co_flags",
            "co_filename",
            "co_name",
        ):
            assert getattr(ahead, part) == getattr(code, part), (part, text)
        assert (ahead.co_argcount, ahead.co_kwonlyargcount) == (code.co_argcount, code.co_kwonlyargcount)


def test_the_installed_package_has_them():
    if (ROOT / "rushlight").samefile(Path(rushlight.__file__).parent):
        pytest.skip("the sources themselves were imported: the build writes the forms")
    assert importlib.util.find_spec("rushlight.ops.machine.forms") is not None
