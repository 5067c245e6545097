"""A sigmoid in forward, and binary_cross_entropy_with_logits."""

import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 12)
        self.fc2 = nn.Linear(12, 1)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        return torch.sigmoid(self.fc2(x))  # finding: loss-expects-logits


torch.manual_seed(0)
net = Classifier()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(32, 6)
y = (x[:, 0] > 0).float()
for step in range(5):
    output = net(x).squeeze(1)
    loss = F.binary_cross_entropy_with_logits(output, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
