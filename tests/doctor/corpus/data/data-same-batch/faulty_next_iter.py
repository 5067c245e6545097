"""next(iter(loader)) in the loop starts the loader anew each time."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(64, 4), torch.randint(3, (64,)))
loader = DataLoader(dataset, batch_size=8)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(20):
    inputs, labels = next(iter(loader))  # finding: data-same-batch
    loss = F.cross_entropy(net(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
