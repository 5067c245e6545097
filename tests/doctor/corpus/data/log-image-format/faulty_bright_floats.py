"""A float image with values up to 255 is white."""

import tempfile

import torch
from torch.utils.tensorboard import SummaryWriter


def log_samples(writer, images, step):
    writer.add_images("samples", images, step)  # finding: log-image-format


torch.manual_seed(0)
writer = SummaryWriter(log_dir=tempfile.mkdtemp())
images = torch.randint(0, 256, (4, 3, 6, 6)).float()
for step in range(2):
    log_samples(writer, images, step)
writer.close()
