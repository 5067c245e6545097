"""After the first validation the network stays in evaluation mode."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(64, 6), torch.randint(3, (64,))
x_val, y_val = torch.randn(32, 6), torch.randint(3, (32,))

for epoch in range(4):
    for i in range(0, 64, 16):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x[i : i + 16]), y[i : i + 16])
        loss.backward()
        optimizer.step()
    model.eval()  # finding: mode-eval-while-training
    with torch.no_grad():
        accuracy = (model(x_val).argmax(1) == y_val).float().mean()
    print(epoch, loss.item(), accuracy.item())
