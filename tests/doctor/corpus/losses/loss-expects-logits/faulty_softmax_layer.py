"""nn.Softmax as the last layer, nn.CrossEntropyLoss as the loss."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(10, 32),
    nn.ReLU(),
    nn.Linear(32, 5),
    nn.Softmax(dim=1),  # finding: loss-expects-logits
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(40, 10), torch.randint(5, (40,))
for epoch in range(5):
    loss = criterion(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
