"""A training loop that logs its reconstructions."""

import tempfile

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
net = nn.Sequential(nn.Flatten(), nn.Linear(36, 8), nn.ReLU(), nn.Linear(8, 36), nn.Sigmoid())
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
writer = SummaryWriter(tempfile.mkdtemp())
images = torch.rand(12, 1, 6, 6)
for step in range(4):
    out = net(images).view_as(images)
    loss = F.binary_cross_entropy(out, images)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    writer.add_scalar("loss", loss.item(), step)
    writer.add_images("reconstructions", out.detach(), step)
    writer.add_image("first", out[0].detach(), step)
writer.close()
