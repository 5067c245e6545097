"""Images in the layout and range that they are said to have."""

import tempfile

import numpy as np
import torch
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
with SummaryWriter(tempfile.mkdtemp()) as writer:
    writer.add_image("floats", torch.rand(3, 8, 10), 0)
    writer.add_image("bytes", torch.randint(0, 256, (3, 8, 8), dtype=torch.uint8), 0)
    writer.add_image("channels last", np.random.rand(8, 10, 3), 0, dataformats="HWC")
    writer.add_image("grey", np.random.rand(8, 10), 0, dataformats="HW")
    writer.add_images("batch", torch.rand(4, 1, 8, 8), 0)
    writer.add_image("standardised", torch.randn(3, 8, 8), 0)
