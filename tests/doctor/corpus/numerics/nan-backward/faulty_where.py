"""`where` hides the logarithm of zero from the forward pass, but not from the backward one."""

import torch


class Mixture(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = torch.nn.Parameter(torch.tensor([0.5, 0.0, 0.1]))

    def forward(self, x):
        amount = self.weights * x
        logs = torch.log(amount)  # finding: nan-backward
        return torch.where(amount > 0, logs, torch.zeros_like(logs)).sum()


model = Mixture()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(4):
    optimizer.zero_grad()
    loss = (model(torch.ones(3)) - 1) ** 2
    loss.backward()
    optimizer.step()
