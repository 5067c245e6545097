"""A source tree runs on the installed extension if that was compiled from its own sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rushlight import native
from rushlight.native import sources

TREE = Path(__file__).resolve().parents[2] / "rushlight"

PROGRAM = "import rushlight; print(rushlight.__file__, rushlight.native.extension is not None)"


@pytest.fixture
def copy(tmp_path):
    """The tree, elsewhere, without what was compiled in it."""
    if native.extension is None or not Path(native.extension.__file__).with_name(sources.RECORD).is_file():
        pytest.skip("needs the installed package with native code")
    shutil.copytree(TREE, tmp_path / "rushlight", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return tmp_path


def run_in(folder):
    path = os.pathsep.join([str(folder), str(Path(native.extension.__file__).parents[2])])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, cwd=folder, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


def test_a_tree_with_the_same_sources_has_native_code(copy):
    assert run_in(copy) == [str(copy / "rushlight" / "__init__.py"), "True"]


def test_a_tree_with_other_sources_has_none(copy):
    source = copy / "rushlight" / "native" / "seam" / "extension.cpp"
    source.write_text(source.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert run_in(copy) == [str(copy / "rushlight" / "__init__.py"), "False"]


def test_the_sum_tells_texts_and_names_apart(tmp_path):
    (tmp_path / "a.cpp").write_text("int a;")
    first = sources.sum_of(tmp_path)
    (tmp_path / "a.cpp").write_text("int b;")
    second = sources.sum_of(tmp_path)
    (tmp_path / "a.cpp").rename(tmp_path / "b.cpp")
    assert len({first, second, sources.sum_of(tmp_path)}) == 3


def test_a_folder_without_sources_has_no_sum(tmp_path):
    assert sources.sum_of(tmp_path) is None
    assert sources.load_installed(str(tmp_path)) is None
