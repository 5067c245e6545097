"""The head is replaced for the new task after the optimizer was made."""

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.body(x))


torch.manual_seed(0)
model = Classifier(10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
model.fc = nn.Linear(16, 3)  # finding: optim-stale-param
criterion = nn.CrossEntropyLoss()
x, y = torch.randn(24, 8), torch.randint(3, (24,))
for _epoch in range(6):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
