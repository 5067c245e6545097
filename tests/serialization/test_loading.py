"""Loading: what is allowed, where storages go, and what is said of files that are none."""

from __future__ import annotations

import io
import mmap
import os
import pickle
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight import nn


def saved(made, **options):
    file = io.BytesIO()
    torch.save(made, file, **options)
    file.seek(0)
    return file


def test_nothing_of_a_file_is_executed_by_default(tmp_path):
    canary = tmp_path / "canary"

    class Evil:
        def __reduce__(self):
            return os.system, (f"touch {canary}",)

    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL (posix|nt)\.system whose module (posix|nt) is blocked"):
        torch.load(saved(Evil()))
    with torch.serialization.safe_globals([os.system]), pytest.raises(pickle.UnpicklingError, match="is blocked"):
        torch.load(saved(Evil()))
    assert not canary.exists()


def test_a_refusal_says_what_can_be_done():
    with pytest.raises(pickle.UnpicklingError) as told:
        torch.load(saved(nn.Linear(1, 1)))
    words = str(told.value)
    assert words.startswith("Weights only load failed. This file can still be loaded")
    assert "runs any code on this machine" in words
    assert "add_safe_globals([torch.nn.modules.linear.Linear])" in words


def test_plain_tensors_are_loaded_and_saved_without_networks(tmp_path):
    torch.save({"weight": torch.ones(2)}, tmp_path / "plain.pt")
    torch.save(nn.Parameter(torch.ones(2)), tmp_path / "parameter.pt")
    code = """if True:
        import sys
        import rushlight as torch

        assert torch.load("plain.pt")["weight"].tolist() == [1, 1]
        torch.save(torch.zeros(2), "again.pt")
        assert "rushlight.nn" not in sys.modules, "all of nn was imported"
        found = torch.load("parameter.pt")
        assert type(found) is torch.nn.Parameter
    """
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_safe_globals_are_kept_and_cleared():
    net = nn.Linear(1, 1)
    names = [nn.Linear]
    assert torch.serialization.get_unsafe_globals_in_checkpoint(saved(net)) == ["torch.nn.modules.linear.Linear"]
    torch.serialization.add_safe_globals(names)
    try:
        assert torch.serialization.get_safe_globals() == names
        assert torch.serialization.get_unsafe_globals_in_checkpoint(saved(net)) == []
        assert repr(torch.load(saved(net))) == repr(net)
    finally:
        torch.serialization.clear_safe_globals()
    assert torch.serialization.get_safe_globals() == []
    with torch.serialization.safe_globals([(nn.Linear, "torch.nn.modules.linear.Linear")]):
        assert torch.load(saved(net)).in_features == 1
    with torch.serialization.safe_globals([(1, 2, 3)]), pytest.raises(ValueError, match="Expected tuple of length 2"):
        torch.load(saved(net))


def test_map_location_takes_all_forms():
    x = torch.ones(2)
    asked = []

    def chosen(storage, location):
        asked.append((type(storage), storage.nbytes(), location))
        return storage

    for place in ("cpu", torch.device("cpu"), {"cpu": "cpu"}, {"cuda:0": "cpu"}, chosen, lambda *both: None, "cpu:0"):
        assert torch.load(saved(x), map_location=place).tolist() == [1, 1]
    assert asked == [(torch.UntypedStorage, 8, "cpu")]
    with pytest.raises(RuntimeError, match=r"Attempting to deserialize object on a CUDA device but torch\.cuda"):
        torch.load(saved(x), map_location="cuda")
    with pytest.raises(RuntimeError, match=r"don't know how to restore data location of torch.storage.UntypedStorage"):
        torch.load(saved(x), map_location="moon")


def test_a_package_may_name_places_of_its_own():
    registry = torch.serialization._package_registry
    before = list(registry)
    seen = []
    try:
        torch.serialization.register_package(
            0, lambda storage: "moon", lambda storage, place: seen.append(place) or storage if place == "moon" else None
        )
        file = saved(torch.ones(1))
        assert torch.load(file).tolist() == [1] and seen == ["moon"]
    finally:
        registry[:] = before
    assert torch.serialization.location_tag(torch.UntypedStorage(1)) == "cpu"


def test_mapped_files_stay_in_the_file_until_they_are_written_to(tmp_path):
    path = tmp_path / "a.pt"
    torch.save({"x": torch.arange(4.0), "b": torch.ones(2, dtype=torch.uint8)}, path)
    before = path.read_bytes()
    found = torch.load(path, mmap=True)
    found["x"].add_(1)
    assert found["x"].tolist() == [1, 2, 3, 4] and path.read_bytes() == before
    with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
        torch.load(path, mmap=True)["x"].mul_(2)
    assert torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    torch.serialization.set_crc32_options(False)
    try:
        assert torch.load(path)["x"].tolist() == [0, 2, 4, 6]
    finally:
        torch.serialization.set_crc32_options(True)
    with pytest.raises(RuntimeError, match="its checksum is wrong"):
        torch.load(path)
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        torch.load(saved(1), mmap=True)
    with pytest.raises(ValueError, match=r"expected mmap\.MAP_PRIVATE or mmap\.MAP_SHARED"):
        torch.serialization.set_default_mmap_options(99)
    torch.save(1, path, _use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="mmap can only be used with files saved with"):
        torch.load(path, mmap=True)


def test_the_bytes_of_other_machines_are_turned_round():
    other = b"big" if sys.byteorder == "little" else b"little"
    file = saved([torch.tensor([1], dtype=torch.int32), torch.tensor([1 + 0j])], _disable_byteorder_record=True)
    options = torch.serialization.LoadEndianness
    torch.serialization.set_default_load_endianness(options.BIG if other == b"big" else options.LITTLE)
    try:
        found = torch.load(file)
        assert found[0].tolist() == [2**24]
        torch.serialization.set_default_load_endianness(options.NATIVE)
        file.seek(0)
        assert torch.load(file)[0].tolist() == [1]
    finally:
        torch.serialization.set_default_load_endianness(None)
    assert torch.serialization.get_default_load_endianness() is None
    with pytest.raises(TypeError, match="Invalid argument type in function set_default_load_endianness"):
        torch.serialization.set_default_load_endianness("big")


def test_files_can_be_saved_and_loaded_without_their_numbers(tmp_path):
    path = tmp_path / "a.pt"
    with torch.serialization.skip_data():
        torch.save(torch.ones(3), path)
        with pytest.raises(RuntimeError, match="Cannot use skip_data=True with _use_new_zipfile_serialization=False"):
            torch.save(1, path, _use_new_zipfile_serialization=False)
    assert torch.load(path).tolist() == [0, 0, 0]
    torch.save(torch.ones(3), path)
    with torch.serialization.skip_data():
        assert torch.load(path).shape == (3,)
    assert torch.load(path).tolist() == [1, 1, 1]


def test_the_environment_decides_for_calls_that_do_not(monkeypatch):
    net = nn.Linear(1, 1)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.warns(UserWarning, match="Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected"):
        assert torch.load(saved(net)).in_features == 1
    with pytest.raises(pickle.UnpicklingError):
        torch.load(saved(net), weights_only=True)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(RuntimeError, match="Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or"):
        torch.load(saved(net))
    monkeypatch.delenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD")
    with pytest.raises(pickle.UnpicklingError):
        torch.load(saved(net), weights_only=False)


def test_a_pickle_module_is_for_trusted_files():
    assert torch.load(saved([1]), pickle_module=pickle) == [1]
    with pytest.raises(RuntimeError, match="Can not safely load weights when explicit pickle_module is specified"):
        torch.load(saved([1]), weights_only=True, pickle_module=pickle)
    with pytest.warns(UserWarning, match="pickle_load_args only works if `weights_only=False`"):
        torch.load(saved([1]), encoding="latin1")


def test_files_that_are_none_are_refused_with_a_reason(tmp_path):
    path = tmp_path / "a.pt"
    with pytest.raises(FileNotFoundError):
        torch.load(path)
    whole = saved(torch.ones(30)).getvalue()
    for data, kind, words in (
        (b"", EOFError, "Ran out of input"),
        (b"garbage", pickle.UnpicklingError, "Weights only load failed"),
        (pickle.dumps([1, 2], 2), RuntimeError, "Invalid magic number; corrupt file"),
        (whole[:400], RuntimeError, "failed finding central directory"),
        (whole[:-5], RuntimeError, "failed finding central directory"),
        (whole[:900] + whole[1000:], RuntimeError, "PytorchStreamReader failed"),
    ):
        path.write_bytes(data)
        with pytest.raises(kind, match=words):
            torch.load(path)
    with pytest.raises(
        AttributeError, match=r"'int' object has no attribute 'seek'\. You can only torch\.load from a file"
    ):
        torch.load(5)
    with pytest.raises(AssertionError, match="Expected bytes, got str"):
        torch.load(io.StringIO("text"))


def test_a_flipped_bit_of_the_numbers_is_noticed():
    data = bytearray(saved(torch.ones(100)).getvalue())
    place = data.find(b"\x00\x00\x80?" * 20)
    data[place + 7] ^= 1
    with pytest.raises(RuntimeError, match="failed reading file data/0: its checksum is wrong"):
        torch.load(io.BytesIO(bytes(data)))


def test_a_shape_larger_than_its_storage_is_refused():
    from tests.serialization.damage import archived, records

    found = records(saved(torch.ones(2)).getvalue())
    found["data.pkl"] = found["data.pkl"].replace(b"K\x02\x85", b"M\xff\xff\x85")
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        torch.load(io.BytesIO(archived(found)))


def test_a_compressed_archive_is_read_unless_it_is_a_bomb():
    import zipfile

    from tests.serialization.damage import records

    found = records(saved(torch.arange(10.0)).getvalue())
    for extra, refused in ((0, False), (10**8, True)):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in found.items():
                archive.writestr(f"archive/{name}", data + bytes(extra if name == "data.pkl" else 0))
        file.seek(0)
        if refused:
            with pytest.raises(RuntimeError, match="grow more than 100 times"):
                torch.load(file)
        else:
            assert torch.load(file).tolist() == list(range(10))


def test_the_oldest_formats_are_refused_with_advice(tmp_path):
    import tarfile

    path = tmp_path / "old.pt"
    with tarfile.open(path, "w") as archive:
        archive.add(__file__, "sys_info")
    with pytest.raises(RuntimeError, match=r"the \.tar format of PyTorch before 0\.1\.10"):
        torch.load(path)


def test_a_stream_may_begin_anywhere():
    file = io.BytesIO(b"head" + saved(torch.ones(2)).getvalue())
    file.seek(4)
    assert torch.load(file).tolist() == [1, 1]


def test_the_names_of_the_module_are_torchs():
    found = torch.serialization
    assert found.DEFAULT_PROTOCOL == 2 and issubclass(found.SourceChangeWarning, Warning)
    assert found.StorageType("FloatStorage").dtype is torch.float32
    assert str(found.StorageType("LongStorage")) == "StorageType(dtype=torch.int64)"
    assert found.normalize_storage_type(torch.FloatStorage) is torch.FloatStorage
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        found.validate_cuda_device("cuda:0")
    assert torch.utils.serialization.config.save.storage_alignment == 64


@pytest.mark.skipif(not torch.memory.stats()["pool"], reason="there is no native pool")
def test_what_is_loaded_takes_the_memory_of_what_was_loaded_before():
    file = saved({f"{place}": torch.ones(300_000) for place in range(5)})
    found = torch.load(file)
    del found
    before = torch.memory.stats()["fresh"]
    file.seek(0)
    found = torch.load(file)
    assert torch.memory.stats()["fresh"] == before
    assert all(each.eq(1).all() for each in found.values())
