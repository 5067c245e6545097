"""torch.hub: repositories on this machine; nothing is downloaded."""

import pytest

import rushlight as torch
from rushlight import hub

HUBCONF = """
dependencies = ["numpy"]
import helper

def small(n=1, **options):
    "A small one."
    return helper.doubled(n), options

def _hidden():
    pass

value = 3
"""


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "owner_name_main"
    folder.mkdir()
    (folder / "hubconf.py").write_text(HUBCONF)
    (folder / "helper.py").write_text("def doubled(n):\n    return 2 * n\n")
    before = dict(hub.chosen)
    hub.set_dir(tmp_path)
    yield folder
    hub.chosen.clear()
    hub.chosen.update(before)


def test_a_local_repository(repository):
    assert hub.load(str(repository), "small", 3, source="local", a=1) == (6, {"a": 1})
    with pytest.raises(RuntimeError, match="Cannot find callable nope in hubconf"):
        hub.load(str(repository), "nope", source="local")
    with pytest.raises(RuntimeError, match="Cannot find callable value in hubconf"):
        hub.load(str(repository), "value", source="local")
    with pytest.raises(ValueError, match="model should be a string"):
        hub.load(str(repository), 3, source="local")
    with pytest.raises(FileNotFoundError):
        hub.load("/nonexistent", "small", source="local")
    with pytest.raises(ValueError, match='Unknown source: "odd"'):
        hub.load(str(repository), "small", source="odd")


def test_a_repository_that_was_fetched_before(repository):
    assert hub.list("owner/name") == ["small"]
    assert hub.help("owner/name:main", "small") == "A small one."
    assert hub.load("owner/name", "small") == (2, {})


def test_nothing_is_downloaded(repository):
    with pytest.raises(RuntimeError, match=r"git clone https://github.com/other/thing and call"):
        hub.load("other/thing", "small")
    with pytest.raises(ValueError, match='source="local"'):
        hub.list("thing")
    with pytest.raises(RuntimeError, match="does not download in Rushlight"):
        hub.download_url_to_file("https://example.com/a.pt", str(repository / "a.pt"))
    with pytest.raises(RuntimeError, match=r"put it at .*checkpoints.a.pt"):
        hub.load_state_dict_from_url("https://example.com/a.pt")


def test_missing_packages_are_named(repository):
    (repository / "hubconf.py").write_text("dependencies = ['no_such_package']\ndef f():\n    pass\n")
    with pytest.raises(RuntimeError, match="Missing dependencies: no_such_package"):
        hub.load(str(repository), "f", source="local")


def test_files_are_copied_and_checked(tmp_path):
    origin = tmp_path / "a b.bin"
    origin.write_bytes(b"abc")
    hub.download_url_to_file(origin.as_uri(), str(tmp_path / "copy"), hash_prefix="ba7816bf")
    assert (tmp_path / "copy").read_bytes() == b"abc"
    with pytest.raises(RuntimeError, match="invalid hash value"):
        hub.download_url_to_file(origin.as_uri(), str(tmp_path / "other"), hash_prefix="00")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a b.bin", "copy"]
    assert hub.HASH_REGEX.search("resnet18-f37072fd.pth")[1] == "f37072fd"


def test_the_folder_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setattr(hub, "chosen", {})
    assert hub.get_dir() == str(tmp_path / "hub")


def test_packages_of_code_are_refused():
    for each in (torch.package.PackageExporter, torch.package.PackageImporter):
        with pytest.raises(NotImplementedError, match="is not in Rushlight: install the code as a Python package"):
            each("file.pt")
    assert not torch.package.is_from_package(3)
