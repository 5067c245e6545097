"""Fine-tuning with the statistics of batch norm frozen: its layers are put in evaluation mode one by one."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU())
head = nn.Sequential(nn.Dropout(0.1), nn.Linear(12, 2))
model = nn.Sequential(backbone, head)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(40, 6), torch.randint(2, (40,))
for epoch in range(5):
    model.train()
    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm1d):
            layer.eval()
    for batch in range(2):
        rows = slice(20 * batch, 20 * batch + 20)
        loss = F.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
