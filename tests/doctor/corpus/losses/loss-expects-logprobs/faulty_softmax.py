"""nll_loss of a softmax."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        return F.softmax(self.fc(x), dim=1)  # finding: loss-expects-logprobs


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(30, 8), torch.randint(4, (30,))
for step in range(5):
    optimizer.zero_grad()
    loss = F.nll_loss(net(x), y)
    loss.backward()
    optimizer.step()
