"""Everything is frozen, the new classifier too: there is nothing left to train."""

import torch
from torch import nn


class Transfer(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.classifier = nn.Linear(8, 2)

    def forward(self, x):
        return self.classifier(torch.relu(self.backbone(x)))


torch.manual_seed(0)
backbone = nn.Linear(4, 8)
warm = torch.optim.SGD(backbone.parameters(), lr=0.1)
for _ in range(4):
    warm.zero_grad()
    x = torch.randn(6, 4)
    (backbone(x)[:, :4] - x).pow(2).mean().backward()
    warm.step()

model = Transfer(backbone)
model.requires_grad_(False)  # finding: param-frozen-untrained
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(8, 4), torch.randint(2, (8,))
for _ in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
