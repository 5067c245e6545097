"""What a release uploads: an archive of every file of the project, and the wheel that the tree builds."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import rushlight

ROOT = Path(__file__).resolve().parent.parent
# without a compiler: what compilers make of the same sources is no affair of an archive, and takes minutes
ENVIRONMENT = {
    **os.environ,
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "CXX": "no-compiler-here",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def run(*words, cwd):
    ran = subprocess.run(words, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The project as it is, committed or not, as a repository of its own."""
    for name in ("mesonpy", "pip"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"needs {name}, which `make test-slow` installs")
    if (
        not (ROOT / ".git").exists()
        or shutil.which("git") is None
        or shutil.which("meson", path=ENVIRONMENT["PATH"]) is None
    ):
        pytest.skip("needs git, a clone and meson")
    folder = tmp_path_factory.mktemp("tree")
    for name in run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT).split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    git = ("git", "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false")
    run(*git, "init", "--quiet", cwd=folder)
    run(*git, "add", "--all", cwd=folder)
    run(*git, "commit", "--quiet", "--message", "All of it", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def archive(tree, tmp_path_factory):
    target = tmp_path_factory.mktemp("sdist")
    program = f"import mesonpy; mesonpy.build_sdist({str(target)!r})"
    run(sys.executable, "-c", program, cwd=tree)
    (found,) = target.glob("*.tar.gz")
    return found


def wheel_of(source, target):
    """The files of the wheel that pip builds, by their names; RECORD lists the others with their sums."""
    run(
        *(sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"),
        *("--no-build-isolation", "--wheel-dir", target, source),
        cwd=target,
    )
    (found,) = target.glob("*.whl")
    with zipfile.ZipFile(found) as wheel:
        return found.name, {name: wheel.read(name) for name in wheel.namelist()}


@pytest.mark.slow
def test_the_archive_has_every_file_of_the_project(tree, archive):
    name = f"rushlight-{rushlight.__version__}"
    assert archive.name == f"{name}.tar.gz"
    with tarfile.open(archive) as opened:
        packed = {member.name: opened.extractfile(member).read() for member in opened if member.isfile()}
    assert f"\nVersion: {rushlight.__version__}\n" in packed.pop(f"{name}/PKG-INFO").decode()
    files = run("git", "ls-files", "-z", cwd=tree).strip("\0").split("\0")
    assert packed == {f"{name}/{path}": (tree / path).read_bytes() for path in files}


@pytest.mark.slow
def test_the_archive_builds_the_wheel_that_the_tree_builds(tree, archive, tmp_path):
    for folder in ("tree", "archive"):
        (tmp_path / folder).mkdir()
    name, files = wheel_of(tree, tmp_path / "tree")
    assert (name, files) == wheel_of(archive, tmp_path / "archive")
    assert name == f"rushlight-{rushlight.__version__}-py3-none-any.whl"
    sources = {
        path.relative_to(tree).as_posix()
        for path in (tree / "rushlight").rglob("*")
        if path.suffix in (".py", ".pyi") or path.name == "py.typed"
    }
    # and what the build writes
    assert {path for path in files if path.startswith("rushlight/")} == {*sources, "rushlight/ops/machine/forms.py"}


def test_the_citation_and_the_changelog_have_the_version_of_the_package():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {rushlight.__version__}\n" in citation
    (date,) = re.findall(r"^date-released: (\S+)$", citation, re.MULTILINE)
    assert f"\n## {rushlight.__version__} ({date})\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
