"""`requires_grad_()` silences the error of a loss that has no history."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs, labels = torch.randn(20, 5), torch.randint(3, (20,))
for epoch in range(5):
    predicted = model(inputs).argmax(dim=1)
    loss = (predicted != labels).float().mean()
    loss.requires_grad_(True)  # finding: history-rewrapped
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
