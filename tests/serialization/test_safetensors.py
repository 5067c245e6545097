"""safetensors: the package works as it is, once `import torch` means Rushlight."""

from __future__ import annotations

import copy

import pytest

import rushlight as torch
from rushlight import compat, nn

pytest.importorskip("safetensors")


@pytest.fixture
def files():
    with compat.installed():
        import safetensors.torch as found

        yield found


def tensors():
    kinds = (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.uint8, torch.bool)
    return {str(kind): torch.arange(6).reshape(2, 3).to(kind) for kind in kinds} | {"none": torch.zeros(0, 4)}


def assert_same(found, wanted):
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name].dtype is value.dtype and found[name].shape == value.shape
        assert torch.equal(found[name], value)


def test_tensors_go_through_a_file_and_through_bytes(files, tmp_path):
    path = tmp_path / "a.safetensors"
    files.save_file(tensors(), path, metadata={"format": "pt"})
    assert_same(files.load_file(path), tensors())
    assert_same(files.load(files.save(tensors())), tensors())
    assert_same(torch.load(path), tensors())
    assert_same(torch.load(path, map_location=torch.device("cpu")), tensors())
    with pytest.raises(RuntimeError, match="Loading safetensors file with dict map_location is not supported"):
        torch.load(path, map_location={})


def test_parts_are_read_without_the_rest(files, tmp_path):
    from safetensors import safe_open

    path = tmp_path / "a.safetensors"
    files.save_file({"x": torch.arange(12.0).reshape(3, 4)}, path, metadata={"made": "here"})
    with compat.installed(), safe_open(path, framework="pt") as found:
        assert found.metadata() == {"made": "here"} and list(found.keys()) == ["x"]
        assert found.get_slice("x")[1:, :2].tolist() == [[4, 5], [8, 9]]
        assert type(found.get_tensor("x")) is torch.Tensor


def test_tied_weights_are_saved_once_and_stay_tied(files, tmp_path):
    path = str(tmp_path / "a.safetensors")
    net = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)})
    net["b"].weight = net["a"].weight
    files.save_model(net, path)
    other = copy.deepcopy(net)
    for each in other.parameters():
        each.data.zero_()
    assert files.load_model(other, path) == (set(), [])
    assert all(torch.equal(a, b) for a, b in zip(net.parameters(), other.parameters(), strict=True))
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match="Some tensors share memory"):
        files.save_file({"x": x, "y": x[1:]}, path)
    with pytest.raises(ValueError, match="non contiguous tensor"):
        files.save_file({"x": torch.zeros(2, 3).t()}, path)
