"""monai: transforms of images, a U-Net that finds the bright parts, windows that slide, and Dice."""

import numpy as np
import torch
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss
from monai.metrics import DiceMetric
from monai.networks.nets import SegResNet, UNet
from monai.transforms import Compose, NormalizeIntensity, RandFlip, RandRotate90, Resize, ScaleIntensity

torch.manual_seed(0)
net = UNet(2, 1, 2, (4, 8, 16), (2, 2))
optimizer, criterion = torch.optim.Adam(net.parameters(), 1e-2), DiceCELoss(to_onehot_y=True, softmax=True)
images = torch.randn(4, 1, 32, 32)
masks, losses = (images > 0).long(), []
for _ in range(15):
    loss = criterion(net(images), masks)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"{losses[0]:.3f}")
assert losses[-1] < 0.7 * losses[0], losses[-1]
steps = Compose([ScaleIntensity(), RandFlip(0.5), RandRotate90(0.5), Resize((16, 16)), NormalizeIntensity()])
steps.set_random_state(0)
made = steps(np.random.default_rng(0).normal(size=(1, 32, 32)).astype("float32"))
print(type(made).__name__, tuple(made.shape), f"{made.std().item():.2f}")
metric = DiceMetric()
metric(sliding_window_inference(images, (16, 16), 2, net).argmax(1, keepdim=True), masks)
print(tuple(metric.aggregate().shape), tuple(SegResNet(2, init_filters=8, in_channels=1, out_channels=2)(images).shape))
