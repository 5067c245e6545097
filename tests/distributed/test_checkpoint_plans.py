"""torch.distributed.checkpoint by planners and storages: the same plans, metadata and errors as torch."""

import io
import pickle
import pickletools

import pytest

import rushlight as torch
from rushlight.distributed import checkpoint
from rushlight.distributed.checkpoint import _fsspec_filesystem, metadata, planner
from rushlight.distributed.checkpoint._nested_dict import flatten_state_dict, unflatten_state_dict
from rushlight.distributed.checkpoint.default_planner import _EmptyStateDictLoadPlanner
from rushlight.distributed.checkpoint.format_utils import dcp_to_torch_save, torch_save_to_dcp
from rushlight.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
    set_state_dict,
)
from rushlight.distributed.checkpoint.state_dict_loader import _load_state_dict
from rushlight.distributed.checkpoint.utils import find_state_dict_object


def example():
    return {
        "model": {"w": torch.arange(6.0).reshape(2, 3), "b": torch.ones(2, dtype=torch.int16)},
        "step": 3,
        "list": [torch.zeros(1), {"a": 1}],
    }


def test_states_are_flattened_as_torch_does():
    t = torch.ones(1)
    state = {
        "a": [[1], [2]],
        "b": (t, 2),
        "c": {},
        "d": [],
        "e": {"x": (1, 2)},
        "f": [[t]],
        "g": [{}],
        "i": {1: {"z": 0}},
    }
    flat, ways = flatten_state_dict(state)
    assert ways == {
        "a": ("a",),
        "b": ("b",),
        "d": ("d",),
        "e.x": ("e", "x"),
        "f.0.0": ("f", 0, 0),
        "i.1.z": ("i", "1", "z"),
    }
    assert unflatten_state_dict(flat, ways)["f"] == [[t]]
    with pytest.raises(ValueError, match="duplicated flatten key"):
        flatten_state_dict({"a.b": 1, "a": {"b": 2}})


def test_a_plan_names_tensors_and_bytes():
    plans = checkpoint.DefaultSavePlanner()
    plans.set_up_planner({"a": torch.ones(1), "n": 3}, is_coordinator=True)
    plan = plans.create_local_plan()
    assert [(item.index.fqn, item.type.name) for item in plan.items] == [("a", "TENSOR"), ("n", "BYTE_IO")]
    assert plan.items[0].tensor_storage_size() == 4 and plan.items[1].tensor_storage_size() is None
    assert plan.planner_data == {"a": ("a",), "n": ("n",)}
    # what two processes have is written by the first
    agreed, about = plans.create_global_plan([plan, plan])
    assert [len(each.items) for each in agreed] == [2, 0] and agreed[0].items[0].index.index == 0
    assert about.state_dict_metadata["a"].chunks == [metadata.ChunkStorageMetadata(torch.Size([0]), torch.Size([1]))]
    assert about.state_dict_metadata["n"] == metadata.BytesStorageMetadata()
    other = checkpoint.DefaultSavePlanner(flatten_state_dict=False)
    other.set_up_planner({"a": {"b": 1}}, is_coordinator=False)
    assert other.create_local_plan().items == []


def test_an_index_is_found_whatever_its_hint():
    assert metadata.MetadataIndex("a", [0], 3) == metadata.MetadataIndex("a", torch.Size([0]))
    assert hash(metadata.MetadataIndex("a", [0], 3)) == hash(metadata.MetadataIndex("a", (0,)))


@pytest.mark.parametrize("one_file", [True, False])
def test_a_folder_of_plans_gives_the_state_back(tmp_path, one_file):
    writer = checkpoint.FileSystemWriter(tmp_path, single_file_per_rank=one_file)
    about = checkpoint.save(example(), storage_writer=writer, planner=checkpoint.DefaultSavePlanner())
    assert about.version == "1.0.0" and about.storage_meta.save_id and writer.checkpoint_id == tmp_path
    assert len(list(tmp_path.glob("__0_*.distcp"))) == (1 if one_file else 5)
    state = {"model": {"w": torch.zeros(2, 3), "b": torch.zeros(2)}, "step": 0, "list": [torch.ones(1), {"a": 0}]}
    kept = state["model"]["w"]
    checkpoint.load(state, storage_reader=checkpoint.FileSystemReader(tmp_path))
    assert state["model"]["w"] is kept and kept.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert state["model"]["b"].tolist() == [1, 1] and state["model"]["b"].dtype is torch.float32
    assert state["step"] == 3 and state["list"][1] == {"a": 1}


def test_the_index_names_the_classes_of_torch(tmp_path):
    checkpoint.save(example(), checkpoint_id=tmp_path, planner=checkpoint.DefaultSavePlanner())
    text = io.StringIO()
    pickletools.dis((tmp_path / ".metadata").read_bytes(), text)
    assert "torch.distributed.checkpoint.metadata" in text.getvalue() and "rushlight" not in text.getvalue()
    about = checkpoint.FileSystemReader(tmp_path).read_metadata()
    assert about.state_dict_metadata["model.b"].properties == metadata.TensorProperties(dtype=torch.int16)
    assert about.storage_data[metadata.MetadataIndex("step")].offset == 0


def test_parts_of_a_tensor_are_put_together(tmp_path):
    """A tensor that several processes hold parts of, as torch's sharded ones are stored."""

    class Halves(checkpoint.DefaultSavePlanner):
        def create_local_plan(self):
            items = []
            for row in range(2):
                chunk = metadata.ChunkStorageMetadata(torch.Size([row, 0]), torch.Size([1, 3]))
                data = planner.TensorWriteData(chunk, metadata.TensorProperties(), torch.Size([2, 3]))
                index = metadata.MetadataIndex("w", [row, 0])
                items.append(planner.WriteItem(index, planner.WriteItemType.SHARD, tensor_data=data))
            return planner.SavePlan(items, planner_data={"w": ("w",)})

        def resolve_data(self, write_item):
            return self.state_dict["w"][write_item.index.offset[0]][None]

    checkpoint.save({"w": torch.arange(6.0).reshape(2, 3)}, checkpoint_id=tmp_path, planner=Halves())
    state = {"w": torch.zeros(2, 3, requires_grad=True)}
    checkpoint.load(state, checkpoint_id=tmp_path)
    assert state["w"].tolist() == [[0, 1, 2], [3, 4, 5]] and state["w"].is_leaf


def test_what_is_missing_or_of_another_size_is_an_error_of_its_process(tmp_path):
    checkpoint.save({"a": torch.arange(3.0)}, storage_writer=checkpoint.FileSystemWriter(tmp_path))
    with pytest.raises(
        checkpoint.CheckpointException, match=r"(?s)ranks:dict_keys\(\[0\]\).*Missing key in .*: zz"
    ) as found:
        checkpoint.load({"zz": torch.ones(1)}, checkpoint_id=tmp_path)
    assert not isinstance(found.value, Exception) and type(found.value.failures[0][0]) is RuntimeError
    with pytest.raises(checkpoint.CheckpointException, match="Size mismatch between saved"):
        checkpoint.load({"a": torch.ones(4)}, checkpoint_id=tmp_path)
    with pytest.raises(checkpoint.CheckpointException, match="already exists and overwrite=False"):
        checkpoint.save({}, storage_writer=checkpoint.FileSystemWriter(tmp_path, overwrite=False))
    state = {"zz": torch.ones(1), "a": torch.zeros(3)}
    checkpoint.load(state, checkpoint_id=tmp_path, planner=checkpoint.DefaultLoadPlanner(allow_partial_load=True))
    assert state["zz"].item() == 1 and state["a"].tolist() == [0, 1, 2]


def test_without_a_place_there_is_nothing_to_save_to(tmp_path):
    for call in (checkpoint.save, checkpoint.load):
        with pytest.raises(RuntimeError, match="`checkpoint_id` must be specified if"):
            call({})
    with pytest.raises(NotImplementedError, match=r"writes torch\.save's format only"):
        checkpoint.FileSystemWriter(
            tmp_path, serialization_format=checkpoint.filesystem.SerializationFormat.SAFETENSORS
        )


def test_writing_over_a_checkpoint_warns(tmp_path):
    checkpoint.save_state_dict({"a": 1}, checkpoint.FileSystemWriter(tmp_path))
    with pytest.warns(UserWarning, match="Detected an existing checkpoint"):
        checkpoint.async_save({"a": 2}, storage_writer=checkpoint.FileSystemWriter(tmp_path)).result()
    state = {"a": 0}
    checkpoint.load_state_dict(state, checkpoint.FileSystemReader(tmp_path))
    assert state == {"a": 2}


def test_simple_checkpoints_are_read_through_a_reader_too(tmp_path):
    checkpoint.save({"a": torch.ones(2)}, checkpoint_id=tmp_path)
    state = {"a": torch.zeros(2)}
    checkpoint.load(
        state, storage_reader=checkpoint.FileSystemReader(tmp_path), planner=checkpoint.DefaultLoadPlanner()
    )
    assert state["a"].tolist() == [1, 1]
    with pytest.raises(NotImplementedError, match="was saved without a plan"):
        checkpoint.load({}, checkpoint_id=tmp_path, planner=_EmptyStateDictLoadPlanner())
    dcp_to_torch_save(tmp_path, tmp_path / "one.pt")
    assert torch.load(tmp_path / "one.pt")["a"].tolist() == [1, 1]


def test_checkpoints_become_files_and_files_checkpoints(tmp_path):
    torch.save(example(), tmp_path / "one.pt")
    torch_save_to_dcp(tmp_path / "one.pt", tmp_path / "folder")
    dcp_to_torch_save(tmp_path / "folder", tmp_path / "two.pt")
    found = torch.load(tmp_path / "two.pt", weights_only=False)
    assert found["model"]["b"].dtype is torch.int16 and found["step"] == 3 and found["list"][1] == {"a": 1}
    some = {}
    _load_state_dict(
        some, checkpoint.FileSystemReader(tmp_path / "folder"), planner=_EmptyStateDictLoadPlanner({"model"})
    )
    assert list(some) == ["model"]


def test_planners_that_are_not_ready_say_so(tmp_path):
    with pytest.raises(AssertionError, match="set_up_planner was not called"):
        checkpoint.DefaultLoadPlanner().create_local_plan()
    with pytest.raises(AssertionError, match="has to be empty"):
        _EmptyStateDictLoadPlanner().set_up_planner({"a": 1})
    with pytest.raises(AssertionError, match="metadata of a checkpoint is needed"):
        _EmptyStateDictLoadPlanner().set_up_planner({})
    with pytest.raises(NotImplementedError, match="resolve_bytes is not implemented"):
        checkpoint.LoadPlanner().resolve_bytes(None)


def test_what_a_reader_cannot_put_in_place_is_refused(tmp_path):
    class Smaller(checkpoint.DefaultLoadPlanner):
        def transform_tensor(self, read_item, tensor):
            return tensor[:1]

    checkpoint.save({"a": torch.ones(3)}, storage_writer=checkpoint.FileSystemWriter(tmp_path))
    with pytest.raises(checkpoint.CheckpointException, match="mismatch sizes"):
        checkpoint.load({"a": torch.ones(3)}, checkpoint_id=tmp_path, planner=Smaller())
    about = pickle.loads(pickle.dumps(checkpoint.FileSystemReader(tmp_path).read_metadata()))
    reader = checkpoint.FileSystemReader(tmp_path)
    about.storage_data[metadata.MetadataIndex("a", [0])].transform_descriptors = ["zstd"]
    reader.read_metadata = lambda: about
    with pytest.raises(checkpoint.CheckpointException, match="is transformed by zstd"):
        checkpoint.load({"a": torch.ones(3)}, storage_reader=reader)
    assert not checkpoint.FileSystemReader.validate_checkpoint_id("s3://bucket/a")
    assert checkpoint.FileSystemWriter.validate_checkpoint_id(tmp_path)


def test_objects_take_up_their_state(tmp_path):
    layer, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    checkpoint.save({"layer": layer}, storage_writer=checkpoint.FileSystemWriter(tmp_path))
    state = {"layer": other}
    checkpoint.load(state, checkpoint_id=tmp_path)
    assert state["layer"] is other and torch.equal(layer.weight, other.weight)


def network():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    return model, torch.optim.Adam(model.parameters(), lr=0.1)


@pytest.mark.parametrize("flat", [False, True])
def test_states_of_optimizers_name_parameters(flat):
    (model, optimizer), (other, second) = network(), network()
    options = StateDictOptions(flatten_optimizer_state_dict=flat)
    before = model[0].weight.tolist()
    state, optimizer_state = get_state_dict(model, optimizer, options=options)
    assert model[0].weight.tolist() == before and model[0].weight.grad is None
    if flat:
        assert optimizer_state["param_groups.1.bias.lr"] == 0.1 and "state.0.weight.exp_avg" in optimizer_state
    else:
        assert list(optimizer_state["state"]) == ["0.weight", "0.bias", "1.weight", "1.bias"]
        assert optimizer_state["param_groups"][0]["params"] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    model(torch.randn(4, 2)).sum().backward()
    optimizer.step()
    state, optimizer_state = get_state_dict(model, optimizer, options=options)
    keys = set_state_dict(other, second, model_state_dict=state, optim_state_dict=optimizer_state, options=options)
    assert str(keys) == "<All keys matched successfully>" and torch.equal(other[0].weight, model[0].weight)
    ours, theirs = optimizer.state[model[0].weight], second.state[other[0].weight]
    assert torch.equal(ours["exp_avg"], theirs["exp_avg"]) and theirs["step"] == 2


def test_states_of_models_leave_out_what_is_not_wanted():
    model, optimizer = network()
    model[0].weight.requires_grad_(False)
    assert "0.weight" not in get_model_state_dict(model, options=StateDictOptions(ignore_frozen_params=True))
    assert list(get_model_state_dict(model, submodules={model[0]})) == ["0.weight", "0.bias"]
    short = StateDictOptions(keep_submodule_prefixes=False)
    assert list(get_model_state_dict(model, submodules={model[0]}, options=short)) == ["weight", "bias"]
    with pytest.raises(RuntimeError, match="Missing key"):
        set_model_state_dict(model, {"x": torch.ones(1)})
    assert set_model_state_dict(model, {"x": 1}, options=StateDictOptions(strict=False)).unexpected_keys == ["x"]
    with pytest.raises(ValueError, match="different number of parameter groups"):
        set_optimizer_state_dict(model, optimizer, {"state": {}, "param_groups": []})
    with pytest.raises(ValueError, match="full_state_dict must be True when broadcast_from_rank0 is True"):
        get_optimizer_state_dict(model, optimizer, options=StateDictOptions(broadcast_from_rank0=True))
    whole = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    assert not set_model_state_dict(model, model.state_dict(), options=whole).missing_keys


def test_an_index_finds_its_value():
    assert find_state_dict_object({"a": 1}, metadata.MetadataIndex("a")) == 1
    with pytest.raises(ValueError, match="Could not find FQN: 'b'"):
        find_state_dict_object({"a": 1}, metadata.MetadataIndex("b"))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        checkpoint.utils.nonsense  # noqa: B018
    assert not issubclass(checkpoint.utils._DistWrapper, BaseException)


def test_folders_may_be_named_as_fsspec_does(tmp_path):
    checkpoint.save({"a": 1}, storage_writer=_fsspec_filesystem.FsspecWriter(f"file://{tmp_path}", sync_files=False))
    state = {"a": 0}
    checkpoint.load(state, storage_reader=_fsspec_filesystem.FsspecReader(str(tmp_path)))
    assert state == {"a": 1}
    with pytest.raises(NotImplementedError, match="folders of this machine"):
        _fsspec_filesystem.FsspecReader("s3://bucket/a")
