"""Multilayer perceptrons whose weights are parametrized: spectral norm, weight norm, orthogonal and symmetric ones."""

import copy

import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm

STEPS = 60


class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class MLP(nn.Module):
    def __init__(self, wrap):
        super().__init__()
        self.net = nn.Sequential(
            wrap(nn.Linear(3, 24)), nn.Softplus(), wrap(nn.Linear(24, 24)), nn.Softplus(), nn.Linear(24, 1)
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


def symmetric(layer):
    if layer.in_features == layer.out_features:
        parametrize.register_parametrization(layer, "weight", Symmetric())
    return layer


def target(x):
    return torch.sin(x[:, 0]) + x[:, 1] * x[:, 2]


torch.manual_seed(0)
x = torch.randn(128, 3)
y = target(x)
for wrap in (nn.Identity(), spectral_norm, weight_norm, orthogonal, symmetric):
    name = getattr(wrap, "__name__", "plain")
    model = MLP(wrap)
    print(name, model.net[2])
    print(list(model.state_dict()))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.smooth_l1_loss(model(x), y)
        loss.backward()
        optimizer.step()
        if step % 5 == 4:
            print(f"{name} step {step} loss {loss.item():.6f}")
    model.eval()
    weight = model.net[2].weight.detach()
    values = torch.linalg.svdvals(weight)
    print(f"largest {values[0].item():.4f} smallest {values[-1].abs().item():.4f}")
    print(f"asymmetry {(weight - weight.T).abs().max().item():.4f}")
    print("parametrized", parametrize.is_parametrized(model.net[2]), type(model.net[2]).__name__)
    duplicate = copy.deepcopy(model)
    duplicate.load_state_dict(model.state_dict())
    print("copied", torch.equal(duplicate(x), model(x)))
    if parametrize.is_parametrized(model.net[2]):
        before = model(x)
        parametrize.remove_parametrizations(model.net[2], "weight")
        print("removed", list(model.net[2].state_dict()), torch.allclose(model(x), before, atol=1e-6))

layer = symmetric(nn.Linear(4, 4))
with parametrize.cached():
    once = layer.weight is layer.weight
print("cached", once, layer.weight is layer.weight)
