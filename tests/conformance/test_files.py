"""Files: what one library saves the other one loads, whatever it is and however it is saved."""

from __future__ import annotations

import io
import os

import pytest

import rushlight

torch = pytest.importorskip("torch")
from tests.conformance.saved_objects import Maker, described  # noqa: E402

COUNT = int(os.environ.get("RUSHLIGHT_FILES", "60"))
# how it is saved, and how it is loaded
WAYS = [
    ({}, {}),
    ({}, {"weights_only": False}),
    ({}, {"mmap": True}),
    ({}, {"map_location": "cpu"}),
    ({"_use_new_zipfile_serialization": False}, {}),
    ({"_use_new_zipfile_serialization": False}, {"weights_only": False}),
    ({"pickle_protocol": 4}, {"weights_only": False}),
]
TRUSTED = [each for each in WAYS if each[1].get("weights_only") is False]


def carried(made, writer, reader, saving, loading, path):
    """An object that was saved by one library and loaded by another."""
    if loading.get("mmap"):
        writer.save(made, path, **saving)
        return reader.load(path, **loading)
    file = io.BytesIO()
    writer.save(made, file, **saving)
    file.seek(0)
    return reader.load(file, **loading)


@pytest.mark.parametrize(("writer", "reader"), [(rushlight, torch), (torch, rushlight), (rushlight, rushlight)])
@pytest.mark.parametrize("modules", [False, True])
@pytest.mark.filterwarnings("ignore")
def test_a_random_object_comes_back_as_it_was(writer, reader, modules, tmp_path):
    for seed in range(COUNT):
        made = Maker(writer, seed, modules).make()
        for saving, loading in TRUSTED if modules else WAYS:
            if "generator" in str(described(made, writer)) and not saving.get("_use_new_zipfile_serialization", True):
                # torch sets its state before it has read it
                continue
            try:
                expected = carried(
                    Maker(torch, seed, modules).make(), torch, torch, saving, loading, tmp_path / "torch.pt"
                )
            except (RuntimeError, AttributeError) as error:
                # torch does not do it either: the same memory as two dtypes, bytes in the older format
                assert any(words in str(error) for words in ("as different types", "has no attribute 'dtype'")), seed
                continue
            wanted = described(expected, torch)
            found = carried(made, writer, reader, saving, loading, tmp_path / "file.pt")
            assert described(found, reader) == wanted, (seed, saving, loading)


# arguments that some constructor takes
ARGUMENTS = [(), (4,), (4, 4), (4, 4, 3), (4, 2, 2, 2)]
CLASSES = [
    name
    for name, kind in vars(torch.nn).items()
    if isinstance(kind, type) and issubclass(kind, torch.nn.Module) and hasattr(rushlight.nn, name)
]


def made_alike(name):
    """The same module in both libraries; None if it needs other arguments."""
    for arguments in ARGUMENTS:
        try:
            return getattr(torch.nn, name)(*arguments), getattr(rushlight.nn, name)(*arguments)
        except (TypeError, ValueError, RuntimeError, AssertionError, AttributeError):
            continue
    return None


@pytest.mark.parametrize("name", [each for each in CLASSES if each != "DataParallel"])
@pytest.mark.filterwarnings("ignore")
def test_whole_modules_are_exchanged(name):
    both = made_alike(name)
    if both is None:
        pytest.skip("it needs arguments of its own")
    theirs, ours = both
    for made, writer, reader, wanted in ((ours, rushlight, torch, theirs), (theirs, torch, rushlight, ours)):
        found = carried(made, writer, reader, {}, {"weights_only": False}, None)
        assert type(found) is type(wanted) and repr(found) == repr(wanted)
        assert list(found.state_dict()) == list(wanted.state_dict())


def test_torch_finds_the_records_where_it_computes_them_to_be(tmp_path, monkeypatch):
    from torch.utils.serialization import config

    monkeypatch.setenv("TORCH_SERIALIZATION_DEBUG", "1")
    monkeypatch.setattr(config.load, "calculate_storage_offsets", True)
    path = tmp_path / "a.pt"
    made = [rushlight.arange(each) for each in (3, 0, 100, 1, 17)]
    rushlight.save(made, path)
    for mapped in (False, True):
        assert [each.tolist() for each in torch.load(path, mmap=mapped)] == [each.tolist() for each in made]
