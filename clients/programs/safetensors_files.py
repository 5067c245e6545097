"""safetensors: tensors and whole models through files, also without a copy."""

import tempfile
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model
from torch import nn

torch.manual_seed(0)
kinds = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8, torch.bool)
tensors = {str(kind): torch.randn(3, 4).mul(3).to(kind) for kind in kinds}
assert all(torch.equal(tensors[name], value) for name, value in load(save(tensors)).items())
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "tensors.safetensors")
    save_file(tensors, path, metadata={"made": "here"})
    assert all(torch.equal(tensors[name], value) for name, value in load_file(path).items())
    with safe_open(path, framework="pt") as file:
        print(sorted(file.keys()), file.metadata(), file.get_slice("torch.float32")[1:, :2].shape)
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    model[1].weight = model[0].weight
    save_model(model, str(path))
    again = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    again[1].weight = again[0].weight
    print(load_model(again, path))
    assert torch.equal(model[1].bias, again[1].bias) and torch.equal(model[0].weight, again[1].weight)
