"""Saving: what a file holds, and what comes back from it."""

from __future__ import annotations

import io
import os
import pathlib
import pickle
import zipfile
from collections import Counter, OrderedDict, namedtuple

import pytest

import rushlight as torch
from rushlight import nn

WAYS = [
    ({}, {}),
    ({}, {"weights_only": False}),
    ({"_use_new_zipfile_serialization": False}, {}),
    ({"_use_new_zipfile_serialization": False}, {"weights_only": False}),
    ({"pickle_protocol": 3}, {}),
    ({"pickle_protocol": 4}, {}),
    ({"pickle_protocol": 5}, {"weights_only": False}),
    ({"_disable_byteorder_record": True}, {}),
]
Pair = namedtuple("Pair", "first second")


class Image(torch.Tensor):
    """A subclass, which files name."""


def carried(made, saving=None, loading=None):
    """An object through a file."""
    file = io.BytesIO()
    torch.save(made, file, **(saving or {}))
    file.seek(0)
    return torch.load(file, **(loading or {}))


@pytest.fixture(params=WAYS, ids=[f"{list(saving)}{list(loading)}" for saving, loading in WAYS])
def through_file(request):
    return lambda made: carried(made, *request.param)


def test_views_share_their_memory_afterwards(through_file):
    x = torch.arange(6.0).reshape(2, 3)
    found = through_file({"x": x, "row": x[1], "turned": x.T, "wide": x[0].expand(4, 3)})
    assert found["x"].tolist() == x.tolist() and found["turned"].stride() == (1, 3)
    assert found["wide"].stride() == (0, 1)
    found["x"][1, 0] = 9
    assert found["row"].tolist() == [9, 4, 5] and found["turned"][0].tolist() == [0, 9]
    assert found["row"].untyped_storage() is found["x"].untyped_storage()


def test_the_memory_that_a_view_does_not_show_is_saved_too(through_file):
    found = through_file(torch.arange(100.0)[3:5])
    assert found.storage_offset() == 3 and found.untyped_storage().nbytes() == 400


DTYPES = """
    bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128
    float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu
    """.split()


@pytest.mark.parametrize("kind", DTYPES)
def test_every_dtype_comes_back(through_file, kind):
    made = torch.tensor([0, 1, 1]).to(getattr(torch, kind))
    found = through_file([made, made.dtype])
    assert found[0].dtype is made.dtype is found[1] and torch.equal(found[0], made)


def test_conjugates_and_negatives_stay_views(through_file):
    x = torch.tensor([1 + 2j, 3 - 1j])
    found = through_file(x.conj())
    assert found.is_conj() and found.tolist() == [1 - 2j, 3 + 1j]
    part = through_file(x.conj().imag)
    assert part.is_neg() and part.tolist() == [-2, 1]


def test_parameters_flags_and_attributes_come_back(through_file):
    param = nn.Parameter(torch.ones(2))
    marked = nn.Parameter(torch.ones(1), requires_grad=False)
    marked.note = "kept"
    plain = torch.zeros(1, requires_grad=True)
    named = torch.zeros(1)
    named.name_of_it = [1]
    found = through_file([param, marked, plain, named, param])
    assert type(found[0]) is nn.Parameter and found[0].requires_grad and found[0] is found[4]
    assert type(found[1]) is nn.Parameter and not found[1].requires_grad and found[1].note == "kept"
    assert type(found[2]) is torch.Tensor and found[2].requires_grad and found[2].is_leaf
    assert found[3].name_of_it == [1]


def test_containers_and_numbers_come_back(through_file):
    made = OrderedDict(a=[1, 2.5, None, True], b=(1j, b"\x00\xff", "é"), c={"set": {1, 2}}, d=10**40, e=bytearray(b"x"))
    made["f"] = Counter("aab")
    made["g"] = torch.Size([1, 2])
    made["h"] = [torch.device("cpu"), torch.device("cuda", 1), torch.strided]
    found = through_file(made)
    assert found == made and type(found) is OrderedDict and type(found["f"]) is Counter
    assert type(found["g"]) is torch.Size and found["h"][2] is torch.strided


def test_a_state_dict_keeps_its_metadata(through_file):
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    found = through_file(net.state_dict())
    assert found._metadata == net.state_dict()._metadata
    assert nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).load_state_dict(found).missing_keys == []


def test_the_states_of_optimizers_and_schedules_come_back(through_file):
    param = nn.Parameter(torch.ones(2))
    optimizer = torch.optim.Adam([param], lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    param.grad = torch.ones(2)
    optimizer.step()
    schedule.step()
    first, second = through_file([optimizer.state_dict(), schedule.state_dict()])
    fresh = torch.optim.Adam([param], lr=0.3)
    fresh.load_state_dict(first)
    assert fresh.state[param]["exp_avg"].tolist() == optimizer.state[param]["exp_avg"].tolist()
    assert second == schedule.state_dict()


def test_empty_tensors_come_back(through_file):
    found = through_file([torch.zeros(0), torch.zeros(2, 0, 3), torch.zeros(3)[:0]])
    assert [tuple(each.shape) for each in found] == [(0,), (2, 0, 3), (0,)]


def test_storages_come_back_as_typed_ones():
    # torch gives bytes back as a storage of uint8, too
    found = carried([torch.UntypedStorage([1, 2]), torch.FloatStorage([1.5])])
    assert found[0].dtype is torch.uint8 and found[0].tolist() == [1, 2] and found[1].tolist() == [1.5]


def test_whole_networks_come_back_from_trusted_files():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.LSTM(3, 2), nn.TransformerEncoderLayer(2, 1))
    net[0].hook_free = nn.functional.softsign
    found = carried(net, {}, {"weights_only": False})
    assert repr(found) == repr(net) and found[0].hook_free is nn.functional.softsign
    assert all(torch.equal(a, b) for a, b in zip(found.parameters(), net.parameters(), strict=True))


def test_generators_and_named_results_come_back_from_trusted_files():
    generator = torch.Generator()
    generator.manual_seed(7)
    torch.rand(3, generator=generator)
    found, results = carried([generator, torch.max(torch.tensor([[1.0, 3.0]]), 1)], {}, {"weights_only": False})
    assert torch.rand(2, generator=found).tolist() == torch.rand(2, generator=generator).tolist()
    assert results.values.tolist() == [3] and results.indices.tolist() == [1]


def test_subclasses_and_named_tuples_are_loaded_where_they_are_allowed():
    made = [torch.ones(2).as_subclass(Image), Pair(1, torch.ones(1))]
    assert type(carried(made, {}, {"weights_only": False})[0]) is Image
    with pytest.raises(pickle.UnpicklingError, match=r"GLOBAL .*Image was not an allowed global by default"):
        carried(made)
    with torch.serialization.safe_globals([Image, Pair]):
        found = carried(made)
    assert type(found[0]) is Image and found[0].tolist() == [1, 1] and found[1].second.tolist() == [1]


def test_the_same_memory_as_two_dtypes_is_refused():
    x = torch.ones(4)
    with pytest.raises(RuntimeError, match="Cannot save multiple tensors or storages that view the same data"):
        torch.save([x, x.view(torch.int32)], io.BytesIO())


def test_a_hook_is_left_out_with_a_warning():
    x = torch.ones(1, requires_grad=True)
    x.register_hook(lambda grad: grad)
    with pytest.warns(UserWarning, match="backward hook .* will not be serialized"):
        assert carried(x).requires_grad


def test_an_archive_is_laid_out_as_torch_does(tmp_path):
    path = tmp_path / "net.v1.pt"
    torch.save([torch.ones(3), torch.zeros(0), torch.ones(2)], path)
    with zipfile.ZipFile(path) as found:
        assert found.testzip() is None
        names = [each.filename for each in found.infolist()]
        keys = (
            "data.pkl .format_version .storage_alignment byteorder data/0 data/1 data/2 version .data/serialization_id"
        )
        assert names == [f"net.v1/{each}" for each in keys.split()]
        assert found.read("net.v1/version") == b"3\n" and found.read("net.v1/byteorder") == b"little"
        assert len(found.read("net.v1/.data/serialization_id")) == 40
        data = path.read_bytes()
        for each in found.infolist():
            name, extra = data[each.header_offset + 26], data[each.header_offset + 28]
            assert (each.header_offset + 30 + name + extra) % 64 == 0


def test_a_pickle_names_torchs_classes_only():
    file = io.BytesIO()
    made = [nn.Linear(1, 1), torch.ones(1), torch.float32, nn.LazyLinear, torch.optim.lr_scheduler.StepLR]
    torch.save([*made, nn.GRUCell, torch.tanh, nn.functional.gelu, torch.Tensor.exp], file)
    with zipfile.ZipFile(file) as found:
        data = found.read("archive/data.pkl")
    assert b"rushlight" not in data
    for name in (b"torch.nn.modules.linear\nLinear\n", b"torch._utils\n_rebuild_tensor_v2\n", b"torch\nFloatStorage\n"):
        assert name in data
    for name in (b"torch.optim.lr_scheduler\nStepLR", b"torch.nn.modules.rnn\nGRUCell", b"torch\ntanh\n"):
        assert name in data


def test_a_text_that_looks_like_one_of_our_names_stays_a_text():
    made = ["crushlight.nn\nLinear\n", "rushlight.nn.modules.linear", nn.Linear.__module__, nn.Linear]
    for protocol in (2, 3, 4, 5):
        assert carried(made, {"pickle_protocol": protocol}, {"weights_only": False}) == made


def test_paths_and_files_of_all_kinds_are_written_to(tmp_path):
    for place in (
        str(tmp_path / "a.pt"),
        tmp_path / "b.pt",
        pathlib.PurePath(tmp_path / "c"),
        os.fsencode(tmp_path / "d"),
    ):
        if isinstance(place, bytes):
            with pytest.raises(AttributeError, match="expected 'f' to be string, path, or a file-like"):
                torch.save(1, place)
            continue
        torch.save([1], place)
        assert torch.load(place) == [1]
    with open(tmp_path / "e.pt", "wb") as file:
        torch.save([2], file)
    with open(tmp_path / "e.pt", "rb") as file:
        assert torch.load(file) == [2]


def test_what_cannot_be_saved_is_refused_and_leaves_no_file(tmp_path):
    with pytest.raises((AttributeError, pickle.PicklingError)):
        torch.save(lambda: 1, tmp_path / "a.pt")
    with pytest.raises(AttributeError, match="expected 'f' to be string, path"):
        torch.save(1, 5)
    with pytest.raises(RuntimeError, match=r"Parent directory .* does not exist"):
        torch.save(1, tmp_path / "none" / "a.pt")
    with pytest.raises(FileNotFoundError):
        torch.save(1, tmp_path / "none" / "a.pt", _use_new_zipfile_serialization=False)
    assert list(tmp_path.iterdir()) == []


def test_several_objects_may_stand_in_one_stream_of_the_older_format():
    file = io.BytesIO()
    for each in range(3):
        torch.save(torch.full((2,), each), file, _use_new_zipfile_serialization=False)
    file.seek(0)
    assert [torch.load(file).tolist() for _ in range(3)] == [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize("options", [{}, {"_use_new_zipfile_serialization": False}])
def test_files_without_buffers_and_compressed_ones_will_do(tmp_path, options):
    import gzip

    made = {"x": torch.arange(1000.0)}
    with open(tmp_path / "raw", "wb", buffering=0) as file:
        torch.save(made, file, **options)
    with open(tmp_path / "raw", "rb", buffering=0) as file:
        assert torch.equal(torch.load(file)["x"], made["x"])
    with gzip.open(tmp_path / "small.gz", "wb") as file:
        torch.save(made, file, **options)
    with gzip.open(tmp_path / "small.gz", "rb") as file:
        assert torch.equal(torch.load(file)["x"], made["x"])


def test_saving_leaves_the_state_of_an_optimizer_as_it_lies():
    param = nn.Parameter(torch.ones(2))
    optimizer = torch.optim.Adam([param, nn.Parameter(torch.ones(3))])
    for each in optimizer.param_groups[0]["params"]:
        each.grad = torch.ones_like(each)
    optimizer.step()
    torch.save(optimizer.state_dict(), io.BytesIO())
    assert optimizer.state[param]["exp_avg"]._storage is None
