"""zero_grad stands before the loop over batches, not in it."""

import torch
from torch import nn


def run_epoch(model, loader, optimizer):
    optimizer.zero_grad()
    for x, y in loader:
        output = model(x)
        loss = nn.functional.cross_entropy(output, y)
        loss.backward()  # finding: zero-grad-missing
        optimizer.step()


torch.manual_seed(0)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(48, 4), torch.randint(3, (48,))), 8)
model = nn.Linear(4, 3)
run_epoch(model, loader, torch.optim.SGD(model.parameters(), lr=0.1))
