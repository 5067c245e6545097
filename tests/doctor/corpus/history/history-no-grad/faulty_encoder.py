"""An encoder that is to be fine-tuned runs under no_grad."""

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(10, 16), nn.ReLU())
        self.head = nn.Linear(16, 2)

    def forward(self, x):
        with torch.no_grad():  # finding: history-no-grad
            h = self.encoder(x)
        return self.head(h)


torch.manual_seed(0)
model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(12, 10), torch.randint(2, (12,))
for _ in range(5):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
