"""torchvision's Python part: models and transforms, without its compiled operators."""

import numpy as np
import torch
from torchvision import models, transforms
from torchvision.transforms import v2

torch.manual_seed(0)
picture = (np.random.default_rng(0).random((48, 40, 3)) * 255).astype("uint8")
pipeline = transforms.Compose(
    [
        transforms.ToPILImage(),
        transforms.Resize(36),
        transforms.RandomCrop(32),
        transforms.RandomHorizontalFlip(),
        transforms.ColorJitter(0.2, 0.2, 0.2),
        transforms.ToTensor(),
        transforms.Normalize((0.5, 0.5, 0.5), (0.25, 0.25, 0.25)),
    ]
)
newer = v2.Compose([v2.ToImage(), v2.RandomResizedCrop(32, antialias=True), v2.ToDtype(torch.float32, scale=True)])
batch = torch.stack([pipeline(picture) for _ in range(3)] + [newer(picture).as_subclass(torch.Tensor)])
print("batch", tuple(batch.shape), f"{batch.mean():.4f} {batch.std():.4f}")
for build in (models.resnet18, models.mobilenet_v3_small, models.vgg11_bn, models.squeezenet1_1):
    model = build(weights=None, num_classes=4)
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    losses = []
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(model(batch), torch.arange(4))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(build.__name__, *(f"{each:.3f}" for each in losses))
    assert all(np.isfinite(losses))
