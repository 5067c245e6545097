"""Weights of another network replace some of the model's own."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 4), torch.randint(3, (12,))
pretrained = {name: value.clone() * 2 for name, value in model.state_dict().items() if name.startswith("0.")}
for _step in range(4):
    own = model.state_dict()
    own.update(pretrained)
    model.load_state_dict(own)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
model.load_state_dict(model.state_dict())
