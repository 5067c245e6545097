"""The loop that freezes a loaded backbone comes after the new head is in place."""

import io

import torch
from torch import nn

torch.manual_seed(0)
pretrained = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 10))
checkpoint = io.BytesIO()
torch.save(pretrained.state_dict(), checkpoint)
checkpoint.seek(0)

model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 10))
model.load_state_dict(torch.load(checkpoint))
model[4] = nn.Linear(8, 3)
for parameter in model.parameters():
    parameter.requires_grad = False  # finding: param-frozen-untrained
for parameter in model[2].parameters():
    parameter.requires_grad = True
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-3)
x, y = torch.randn(12, 6), torch.randint(3, (12,))
for epoch in range(5):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
