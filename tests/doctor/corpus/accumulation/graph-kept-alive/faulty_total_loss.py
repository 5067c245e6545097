"""The epoch's total is a tensor with the graph of every batch."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = torch.utils.data.TensorDataset(torch.randn(120, 4), torch.randint(2, (120,)))
loader = torch.utils.data.DataLoader(data, batch_size=10)
for epoch in range(2):
    total_loss = 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total_loss += loss  # finding: graph-kept-alive
    print(f"epoch {epoch}: {total_loss / len(loader):.4f}")
