"""The device 'meta': tensors with a shape but no memory; the answers are torch's."""

import copy
import io
import pickle
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight import nn


def test_a_meta_tensor_shows_its_shape_and_no_numbers():
    x = torch.empty(2, 3, device="meta")
    assert repr(x) == "tensor(..., device='meta', size=(2, 3))"
    assert repr(x.long()) == "tensor(..., device='meta', size=(2, 3), dtype=torch.int64)"
    assert repr(x.requires_grad_()) == "tensor(..., device='meta', size=(2, 3), requires_grad=True)"
    assert (x.is_meta, x.is_cpu, x.device, x.data_ptr(), x.type()) == (
        True,
        False,
        torch.device("meta"),
        0,
        "torch.meta.FloatTensor",
    )


def test_the_context_and_the_default_reach_functions_that_make_tensors():
    with torch.device("meta"):
        made = [torch.zeros(2), torch.tensor([1]), torch.arange(3), torch.randn(2), nn.Linear(2, 2).weight]
        assert {str(each.device) for each in made} == {"meta"}
        assert torch.get_default_device() == torch.device("meta")
        assert torch.zeros(2, device="cpu").device.type == torch.Tensor(2).device.type == "cpu"
        with torch.device("cpu"):
            assert not torch.zeros(2).is_meta
    assert not torch.zeros(2).is_meta
    torch.set_default_device("meta")
    try:
        assert torch.ones(2).is_meta
    finally:
        torch.set_default_device(None)
    assert not torch.ones(2).is_meta


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda x: x[0, 0].item(), RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        (lambda x: bool(x[0, 0]), RuntimeError, r"Tensor.item\(\) cannot be called on meta tensors"),
        (lambda x: x.numpy(), TypeError, "can't convert meta device type tensor to numpy"),
        (lambda x: x.tolist(), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        (lambda x: x.to("cpu"), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        (lambda x: x.cpu(), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        (lambda x: torch.ones(2, 3).copy_(x), NotImplementedError, "Cannot copy out of meta tensor; no data!"),
        (lambda x: x + torch.ones(2, 3), RuntimeError, "Tensor on device cpu is not on the expected device meta!"),
        (lambda x: torch.cat([x, torch.ones(2, 3)]), RuntimeError, "is not on the expected device meta!"),
        (lambda x: x.nonzero(), NotImplementedError, "nonzero"),
        (lambda x: nn.Linear(2, 3, device="meta").to("cpu"), NotImplementedError, r"torch.nn.Module.to_empty\(\)"),
    ],
)
def test_what_needs_numbers_is_refused(act, error, words):
    with pytest.raises(error, match=words):
        act(torch.empty(2, 3, device="meta"))


def test_shapes_strides_and_gradients_go_through_a_network():
    net = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Flatten(), nn.Linear(64, 5), nn.LayerNorm(5)
    )
    net.to("meta")
    result = net(torch.randn(2, 3, 4, 4, device="meta"))
    assert (result.shape, result.is_meta) == ((2, 5), True)
    result.sum().backward()
    assert all(each.grad.is_meta and each.grad.shape == each.shape for each in net.parameters())
    x = torch.empty(4, 6, device="meta").t()[1:]
    assert (x.stride(), x.storage_offset(), (x * 2).stride()) == ((1, 6), 1, (1, 5))


def test_a_model_too_large_for_memory_has_parameters_to_count():
    with torch.device("meta"):
        net = nn.Sequential(nn.Embedding(10**6, 10**5), nn.Linear(10**5, 10**6))
    nn.init.normal_(net[0].weight)
    assert sum(each.numel() for each in net.parameters()) == 200_001_000_000
    assert net(torch.zeros(3, dtype=torch.int64, device="meta")).shape == (3, 10**6)


def test_nothing_is_drawn_for_meta_tensors():
    before = torch.get_rng_state()
    x = torch.randn(5, device="meta").normal_().uniform_()
    nn.functional.dropout(x)
    torch.bernoulli(x), torch.randperm(5, device="meta"), torch.rand_like(x)
    assert torch.equal(before, torch.get_rng_state())


def test_a_module_gets_memory_or_the_tensors_of_a_checkpoint():
    net, given = nn.Linear(2, 3, device="meta"), nn.Linear(2, 3)
    with pytest.warns(UserWarning, match="which is a no-op"):
        net.load_state_dict(given.state_dict())
    assert net.weight.is_meta
    net.load_state_dict(given.state_dict(), assign=True)
    assert torch.equal(net.weight, given.weight)
    assert not nn.Linear(2, 3, device="meta").to_empty(device="cpu").weight.is_meta


def test_files_and_copies_keep_what_there_is():
    x = torch.empty(3, 2, device="meta").t()
    stream = io.BytesIO()
    torch.save(x, stream)
    stream.seek(0)
    for each in (torch.load(stream), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert (each.is_meta, each.shape, each.stride()) == (True, (2, 3), (1, 2))
    stream = io.BytesIO()
    torch.save(torch.ones(3), stream)
    stream.seek(0)
    assert repr(torch.load(stream, map_location="meta")) == "tensor(..., device='meta', size=(3,))"


CALLS = """
import rushlight as torch
F = torch.nn.functional
x = torch.randn(4, 4, device="meta")
for name in dir(torch.Tensor):
    if name.startswith("__") or name in ("share_memory_", "set_", "cuda"):
        continue
    for arguments in ((), (x,), (1,), (x, x)):
        try:
            getattr(x.clone(), name)(*arguments)
        except Exception:
            pass
for name in dir(F):
    for arguments in ((x,), (x, x), (x, (4,), x[0], x[0])):
        try:
            getattr(F, name)(*arguments)
        except Exception:
            pass
print("alive")
"""


def test_no_method_brings_the_process_down():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", CALLS], capture_output=True, text=True, timeout=120)
    assert done.stdout.endswith("alive\n"), done.stderr[-500:]
