"""An element is set through `.data` and a view of it."""

import torch

torch.manual_seed(0)
w = torch.randn(5, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
for _step in range(4):
    probabilities = torch.softmax(w, 0)
    loss = -(probabilities * torch.arange(5.0)).sum()
    row = probabilities.data
    row[0] = 0.0  # finding: inplace-data
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
