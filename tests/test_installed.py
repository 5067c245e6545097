"""The package under test is the one of this tree."""

from importlib import metadata
from pathlib import Path

import pytest

import rushlight

TREE = Path(__file__).resolve().parent.parent / "rushlight"


# written by the build
MADE = Path("ops/machine/forms.py")


def contents(folder):
    """The text of every Python file and every stub below a folder, by its path there."""
    return {
        path.relative_to(folder): path.read_text(encoding="utf-8") for path in folder.rglob("*.py*") if is_text(path)
    }


def is_text(path):
    return path.suffix in (".py", ".pyi")


def test_the_installed_package_is_this_tree():
    installed = contents(Path(rushlight.__file__).parent)
    installed.pop(MADE, None)
    tree = contents(TREE)
    assert sorted(installed) == sorted(tree), "run `make test`, which installs the tree first"
    assert [path for path in tree if installed[path] != tree[path]] == []


def test_types_are_announced():
    package = Path(rushlight.__file__).parent
    assert (package / "py.typed").exists()
    assert (package / "__init__.pyi").exists()


def test_the_version_is_the_distributions():
    try:
        version = metadata.version("rushlight")
    except metadata.PackageNotFoundError:
        pytest.skip("running from the tree, without an installation")
    assert rushlight.__version__ == version
