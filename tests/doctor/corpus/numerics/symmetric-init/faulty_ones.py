"""A network from plain parameters, made of ones."""

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = torch.nn.Parameter(torch.ones(4, 8) * 0.1)  # finding: symmetric-init
        self.b1 = torch.nn.Parameter(torch.zeros(8))
        self.w2 = torch.nn.Parameter(torch.randn(8, 2) * 0.0 + 0.1)  # the gradient separates these

    def forward(self, x):
        return torch.sigmoid(x @ self.w1 + self.b1) @ self.w2


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(32, 4), torch.randint(2, (32,))
for step in range(6):
    loss = torch.nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
