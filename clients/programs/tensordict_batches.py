"""tensordict: dictionaries of tensors in batches, modules that read and write them, an ensemble by vmap, files"""

import tempfile

import torch
from tensordict import MemoryMappedTensor, TensorDict, TensorDictParams, tensorclass
from tensordict.nn import TensorDictModule, TensorDictSequential
from torch import nn

torch.manual_seed(0)
data = TensorDict({"x": torch.randn(64, 4), "more": {"flag": torch.arange(64) % 2 == 0}}, batch_size=[64])
data["y"] = data["x"].sum(-1, keepdim=True).tanh()
print(data.batch_size, sorted(map(str, data.keys(True))), data[:3]["more", "flag"].tolist())
halves = torch.stack(data.split(32), 0)
print(halves.shape, torch.cat(list(halves.unbind(0)), 0).shape, data.reshape(8, 8)[2, 3]["y"].shape)
masked = data[data["more", "flag"]]
print(
    len(masked),
    f"{masked['y'].mean().item():.5f}",
    f"{data.apply(lambda each: each.float() * 2)['x'].norm().item():.4f}",
)


@tensorclass
class Sample:
    x: torch.Tensor
    y: torch.Tensor

    def error(self):
        return (self.x.sum(-1, keepdim=True).tanh() - self.y).abs().max().item()


sample = Sample(x=data["x"], y=data["y"], batch_size=[64])
print("tensorclass", sample[:10].shape, sample.error())

first = TensorDictModule(nn.Sequential(nn.Linear(4, 32), nn.Tanh()), in_keys=["x"], out_keys=["hidden"])
second = TensorDictModule(nn.Linear(32, 1), in_keys=["hidden"], out_keys=["guess"])
model = TensorDictSequential(first, second)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(200):
    found = model(data.clone(recurse=False))
    loss = (found["guess"] - data["y"]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.5f}")
assert loss < 0.01

# an ensemble: the parameters of five networks in one tensordict, mapped over
networks = [nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)) for _ in range(5)]
params = TensorDict.from_modules(*networks, as_module=True)
template = networks[0]


def answer(params, x):
    with params.to_module(template):
        return template(x)


together = torch.vmap(answer, (0, None))(params, data["x"])
apart = torch.stack([network(data["x"]) for network in networks])
print("ensemble", tuple(together.shape), torch.allclose(together, apart, atol=1e-6))
together.square().mean().backward()
print("gradients", isinstance(params, TensorDictParams), f"{params['0', 'weight'].grad.norm().item():.4f}")
doubled = torch.vmap(lambda each: each.apply(lambda value: value * 2))(data.select("x"))
print("mapped", doubled.batch_size, torch.equal(doubled["x"], data["x"] * 2))

with tempfile.TemporaryDirectory() as folder:
    data.memmap(folder)
    back = TensorDict.load_memmap(folder)
    print("from disk", isinstance(back["x"], MemoryMappedTensor), (back == data).all())
state = data.state_dict()
zeros = data.apply(torch.zeros_like)
zeros.load_state_dict(state)
print("state", (zeros == data).all())
