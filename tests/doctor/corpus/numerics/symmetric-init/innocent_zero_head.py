"""A head of zeros, biases of ones and embeddings of zeros part company by themselves."""

import torch
from torch import nn

torch.manual_seed(0)
body = nn.Linear(4, 16)
nn.init.ones_(body.bias)
head = nn.Linear(16, 5)
nn.init.zeros_(head.weight)
nn.init.zeros_(head.bias)
offsets = nn.Embedding(10, 5)
nn.init.zeros_(offsets.weight)
optimizer = torch.optim.Adam([*body.parameters(), *head.parameters(), *offsets.parameters()], lr=1e-2)
x, who, y = torch.randn(32, 4), torch.randint(10, (32,)), torch.randint(5, (32,))
for step in range(6):
    loss = nn.functional.cross_entropy(head(torch.relu(body(x))) + offsets(who), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
