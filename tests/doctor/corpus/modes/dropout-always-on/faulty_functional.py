"""F.dropout without training= is on in evaluation too."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 32)
        self.fc2 = nn.Linear(32, 2)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.dropout(x, p=0.4)  # finding: dropout-always-on
        return self.fc2(x)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters())
x, y = torch.randn(20, 10), torch.randint(2, (20,))
for _ in range(5):
    net.train()
    optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    print((net(x).argmax(1) == y).float().mean())
