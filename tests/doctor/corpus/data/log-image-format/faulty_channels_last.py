"""An image with its channels last is logged as if they came first."""

import tempfile

import numpy as np
import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

writer = SummaryWriter(tempfile.mkdtemp())
torch.manual_seed(0)
net = nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    loss = net(torch.randn(8, 3)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    writer.add_scalar("loss", loss.item(), step)
picture = np.random.rand(8, 10, 3)
writer.add_image("prediction", picture, 3)  # finding: log-image-format
writer.close()
