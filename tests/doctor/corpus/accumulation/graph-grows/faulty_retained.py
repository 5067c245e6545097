"""retain_graph=True silences the error, and every step reaches further back."""

import torch

torch.manual_seed(0)
w = torch.randn(3, 3, requires_grad=True)
rate = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([rate], lr=0.1)
position = torch.zeros(3)
target = torch.ones(3)
for _step in range(8):
    position = position + torch.tanh(rate)  # finding: graph-grows
    loss = (position - target).pow(2).sum()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
