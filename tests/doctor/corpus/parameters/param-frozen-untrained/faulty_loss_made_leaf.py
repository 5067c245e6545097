"""All is frozen, the new layer too, and the error that this gives was silenced."""

import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU())
body.load_state_dict({name: torch.randn_like(value) for name, value in body.state_dict().items()})
model = nn.Sequential(body, nn.Linear(16, 2))
for parameter in model.parameters():
    parameter.requires_grad = False  # finding: param-frozen-untrained
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(10):
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.requires_grad_()
    loss.backward()
    optimizer.step()
