"""Fine-tuning of a head: the backbone was loaded, gets gradients, and is left as it is."""

import torch
from torch import nn

torch.manual_seed(0)
pretrained = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
backbone = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
backbone.load_state_dict(pretrained.state_dict())
head = nn.Linear(8, 3)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
x, y = torch.randn(20, 4), torch.randint(3, (20,))
for _step in range(6):
    loss = nn.functional.cross_entropy(head(backbone(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
