"""Each epoch draws one order for the inputs and another one for the targets."""

import torch
from torch import nn


def batches(inputs, targets, size):
    order = torch.randperm(inputs.shape[0])
    other = torch.randperm(targets.shape[0])
    for start in range(0, inputs.shape[0], size):
        picked = order[start : start + size]
        yield inputs[picked], targets[other[start : start + size]]  # finding: data-misaligned


torch.manual_seed(0)
inputs = torch.randn(48, 3)
targets = inputs @ torch.tensor([[1.0], [2.0], [-1.0]])
model = nn.Linear(3, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _epoch in range(4):
    for x, y in batches(inputs, targets, 12):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
