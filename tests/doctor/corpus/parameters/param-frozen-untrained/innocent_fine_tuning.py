"""A loaded backbone is frozen and the new head learns; random features and a perceptual loss are frozen for good."""

import torch
from torch import nn

torch.manual_seed(0)
source = nn.Linear(6, 8)
backbone = nn.Linear(6, 8)
backbone.load_state_dict(source.state_dict())
backbone.requires_grad_(False)
random_features = nn.Linear(6, 8).requires_grad_(False)
perception = nn.Linear(3, 4)
for p in perception.parameters():
    p.requires_grad = False
head = nn.Linear(8, 3)
optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
for _ in range(5):
    x = torch.randn(10, 6)
    out = head(torch.relu(backbone(x)) + torch.cos(random_features(x)))
    loss = (out - x[:, :3]).pow(2).mean() + (perception(out) - perception(x[:, :3])).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
