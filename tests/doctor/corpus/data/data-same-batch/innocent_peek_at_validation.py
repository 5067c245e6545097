"""Training sees all batches; a look at the first batch of validation follows each epoch."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
train = DataLoader(TensorDataset(torch.randn(32, 4), torch.randint(3, (32,))), batch_size=8)
valid = DataLoader(TensorDataset(torch.randn(32, 4), torch.randint(3, (32,))), batch_size=8)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
batches = iter(train)
for step in range(20):
    try:
        inputs, labels = next(batches)
    except StopIteration:
        batches = iter(train)
        inputs, labels = next(batches)
    loss = F.cross_entropy(net(inputs), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    seen, wanted = next(iter(valid))
    with torch.no_grad():
        print(F.cross_entropy(net(seen), wanted).item())
