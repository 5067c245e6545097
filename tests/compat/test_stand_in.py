"""A stand-in makes `torch` Rushlight for every program of an environment, and leaves nothing behind."""

import csv
import hashlib
import importlib.util
import os
import subprocess
import sys
import venv
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

import rushlight
from rushlight.compat import stand_in

# environments of their own, and a dozen processes in them
pytestmark = pytest.mark.thorough

NEEDED = ("numpy", "scipy", "ml_dtypes", "pip")


class Environment:
    """A fresh environment that finds Rushlight and what it needs, but no torch."""

    def __init__(self, folder: Path):
        venv.create(folder / "env", with_pip=False, symlinks=True)
        self.python = folder / "env" / "bin" / "python"
        links = folder / "links"
        links.mkdir()
        (links / "rushlight").symlink_to(Path(rushlight.__file__).parent)
        for name in NEEDED:
            spec = importlib.util.find_spec(name)
            for each in Path(spec.origin).parent.parent.glob(f"{name}*") if spec is not None else ():
                (links / each.name).symlink_to(each)
        (self.site,) = (folder / "env" / "lib").glob("python*/site-packages")
        (self.site / "links.pth").write_text(f"{links}\n")

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        program = [str(self.python), *arguments]
        return subprocess.run(
            program, env=environment, capture_output=True, text=True, timeout=120, cwd=self.site.parent
        )

    def prints(self, program: str) -> str:
        ran = self.run("-c", program)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    def stand_in(self, action: str) -> subprocess.CompletedProcess:
        return self.run("-m", "rushlight", "stand-in", action)

    def files(self) -> set[str]:
        return {str(each.relative_to(self.site)) for each in self.site.rglob("*")}


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("stand-in"))


@pytest.fixture
def installed(environment):
    ran = environment.stand_in("install")
    assert ran.returncode == 0, ran.stderr
    yield environment
    environment.stand_in("remove")


def test_plain_python_runs_on_rushlight(installed):
    program = (
        "import torch.nn.functional as F, torch, rushlight, torch.distributions.constraints as constraints\n"
        "from torch.nn.utils.rnn import pad_sequence\nfrom torch import nn\nimport torch.utils.checkpoint\n"
        "print(torch.__version__, F is rushlight.nn.functional, torch.Tensor is rushlight.Tensor,"
        " constraints is rushlight.distributions.constraints, nn is rushlight.nn, torch.utils is rushlight.utils)"
    )
    assert installed.prints("import functorch\n" + program) == "2.13.0 True True True True True"


def test_metadata_specs_and_paths_answer_before_and_after_the_import(installed):
    ask = (
        "print(m.version('torch'), m.packages_distributions()['torch'], m.distribution('torch').read_text('INSTALLER'),"
        "len(m.files('torch')) >= 6, [d.version for d in m.distributions() if d.metadata['Name'] == 'torch'],"
        "u.find_spec('torch') is not None, end=' ')\n"
    )
    before, after = installed.prints(
        f"import importlib.metadata as m, importlib.util as u\n{ask}print('|')\nimport torch\n{ask}"
    ).split("|")
    assert before.split() == after.split()
    assert before.startswith("2.13.0+rushlight ['torch'] rushlight")
    assert "['2.13.0+rushlight'] True" in " ".join(before.split())


def test_modules_of_torch_run_by_name(installed):
    ran = installed.run("-m", "torch.utils.collect_env")
    assert ran.returncode == 0 and "Rushlight" in ran.stdout, ran.stderr


def test_a_missing_module_is_said_to_be_missing_from_rushlight(installed):
    ran = installed.run("-c", "import torch.nonsense")
    assert "ModuleNotFoundError: torch.nonsense is not in Rushlight" in ran.stderr
    assert installed.prints("import importlib.util as u; print(u.find_spec('torch.nonsense'))") == "None"


def test_processes_that_are_spawned_find_it_too(installed, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import multiprocessing as m, torch\n"
        "def work(n): return torch.ones(n).sum().item()\n"
        "if __name__ == '__main__':\n    with m.get_context('spawn').Pool(1) as pool: print(pool.map(work, [2, 3]))\n"
    )
    ran = installed.run(str(script))
    assert ran.stdout == "[2.0, 3.0]\n", ran.stderr


def test_every_file_is_recorded_with_its_hash(installed):
    record = installed.site / "torch-2.13.0+rushlight.dist-info" / "RECORD"
    rows = {name: (digest, size) for name, digest, size in csv.reader(record.read_text().splitlines())}
    made = {
        each
        for each in installed.files()
        if each.startswith(("torch", "functorch")) and (installed.site / each).is_file()
    }
    assert made <= set(rows)
    for name, (digest, size) in rows.items():
        if digest:
            content = (installed.site / name).read_bytes()
            hashed = urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={hashed}", len(content))


def test_removal_leaves_nothing_behind(environment):
    before = environment.files()
    environment.stand_in("install")
    environment.prints("import torch")
    for optimize in ("-O", "-OO"):
        environment.run(optimize, "-m", "compileall", "-q", str(environment.site / "torch"))
    assert len([each for each in environment.files() - before if each.endswith(".pyc")]) == 3
    ran = environment.stand_in("remove")
    assert "Removed the stand-in" in ran.stdout
    assert environment.files() == before
    assert "no stand-in" in environment.stand_in("remove").stdout
    assert "No module named 'torch'" in environment.run("-c", "import torch").stderr


@pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="pip is not installed")
def test_pip_is_content_and_can_remove_it(environment):
    before = environment.files()
    environment.stand_in("install")
    environment.prints("import torch")
    ran = environment.run("-m", "pip", "install", "--no-index", "--dry-run", "torch>=2.3,<3.0", "torch==2.13.0")
    assert "Requirement already satisfied: torch" in ran.stdout, ran.stderr
    assert "torch" not in environment.run("-m", "pip", "check").stdout
    ran = environment.run("-m", "pip", "uninstall", "-y", "torch")
    assert "Successfully uninstalled torch" in ran.stdout, ran.stderr
    assert environment.files() == before


def test_installing_twice_is_installing_once(installed):
    before = installed.files()
    assert installed.stand_in("install").returncode == 0
    assert installed.files() == before


def test_info_says_what_torch_is(installed):
    assert f"stand-in 2.13.0+rushlight in {installed.site}" in installed.run("-m", "rushlight", "info").stdout
    assert "stand-in 2.13.0+rushlight" in installed.stand_in("status").stdout
    installed.stand_in("remove")
    assert "not installed" in installed.stand_in("status").stdout


@pytest.mark.parametrize("version", ["2.13.0", None])
def test_it_refuses_where_torch_is_installed(environment, version):
    (environment.site / "torch").mkdir()
    (environment.site / "torch" / "__init__.py").write_text("")
    information = environment.site / "torch-2.13.0.dist-info"
    if version is not None:
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
    before = environment.files()
    ran = environment.stand_in("install")
    assert ran.returncode == 1 and "a stand-in would hide it" in ran.stderr
    assert environment.files() == before
    assert "no stand-in possible" in environment.run("-m", "rushlight", "info").stdout
    if version is not None:
        (information / "METADATA").unlink()
        information.rmdir()
    (environment.site / "torch" / "__init__.py").unlink()
    (environment.site / "torch").rmdir()


def test_without_rushlight_the_stand_in_says_what_to_do(installed):
    ran = installed.run("-S", "-c", f"import sys; sys.path.append({str(installed.site)!r}); import torch")
    assert "a stand-in for Rushlight, which is not installed here" in ran.stderr


def test_without_permission_the_error_is_clear_and_nothing_is_left(monkeypatch, tmp_path):
    def refuse(path, content):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(stand_in, "real_torch", lambda: None)
    monkeypatch.setattr(stand_in, "place", lambda: tmp_path)
    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(stand_in.StandInError, match=r"^cannot write to .*: Permission denied; use an environment"):
        stand_in.install()
    assert list(tmp_path.iterdir()) == []


def test_a_python_of_the_operating_system_is_left_alone(monkeypatch, tmp_path):
    (tmp_path / "EXTERNALLY-MANAGED").write_text("")
    monkeypatch.setattr(stand_in.sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    with pytest.raises(stand_in.StandInError, match="managed by the operating system: make an environment"):
        stand_in.refuse_managed()
