"""A residual network is trained and evaluated, epoch by epoch, with batch norm in both of its modes."""

import torch
import torch.nn as nn
from torch import Tensor

EPOCHS, BATCH, CLASSES = 3, 16, 4


def conv3x3(in_planes: int, out_planes: int, stride: int = 1, groups: int = 1, dilation: int = 1) -> nn.Conv2d:
    """3x3 convolution with padding"""
    return nn.Conv2d(
        in_planes,
        out_planes,
        kernel_size=3,
        stride=stride,
        padding=dilation,
        groups=groups,
        bias=False,
        dilation=dilation,
    )


def conv1x1(in_planes: int, out_planes: int, stride: int = 1) -> nn.Conv2d:
    """1x1 convolution"""
    return nn.Conv2d(in_planes, out_planes, kernel_size=1, stride=stride, bias=False)


class BasicBlock(nn.Module):
    expansion: int = 1

    def __init__(self, inplanes: int, planes: int, stride: int = 1, downsample: nn.Module | None = None) -> None:
        super().__init__()
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        out = self.conv1(x)
        out = self.bn1(out)
        out = self.relu(out)
        out = self.conv2(out)
        out = self.bn2(out)
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        out = self.relu(out)
        return out


class ResNet(nn.Module):
    def __init__(self, block, layers, num_classes, zero_init_residual=False):
        super().__init__()
        self.inplanes = 8
        self.conv1 = nn.Conv2d(3, self.inplanes, kernel_size=5, stride=2, padding=2, bias=False)
        self.bn1 = nn.BatchNorm2d(self.inplanes)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, 8, layers[0])
        self.layer2 = self._make_layer(block, 16, layers[1], stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(16 * block.expansion, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)
        if zero_init_residual:
            for m in self.modules():
                if isinstance(m, BasicBlock) and m.bn2.weight is not None:
                    nn.init.constant_(m.bn2.weight, 0)

    def _make_layer(self, block, planes, blocks, stride=1):
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = nn.Sequential(
                conv1x1(self.inplanes, planes * block.expansion, stride), nn.BatchNorm2d(planes * block.expansion)
            )
        layers = [block(self.inplanes, planes, stride, downsample)]
        self.inplanes = planes * block.expansion
        for _ in range(1, blocks):
            layers.append(block(self.inplanes, planes))
        return nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer2(self.layer1(x))
        x = torch.flatten(self.avgpool(x), 1)
        return self.fc(x)


class AverageMeter:
    """Computes and stores the average and current value"""

    def __init__(self):
        self.sum = self.count = 0

    def update(self, val, n=1):
        self.sum += val * n
        self.count += n

    @property
    def avg(self):
        return self.sum / self.count


def accuracy(output, target, topk=(1,)):
    """The share of targets among the k likeliest classes, for each k"""
    with torch.no_grad():
        maxk = max(topk)
        _, pred = output.topk(maxk, 1, True, True)
        correct = pred.t().eq(target.view(1, -1).expand_as(pred.t()))
        return [correct[:k].reshape(-1).float().sum(0, keepdim=True).mul_(100.0 / target.size(0)) for k in topk]


def make_data(count):
    """Stripes, waves or checks of a colour."""
    target = torch.arange(count) % CLASSES
    t = torch.linspace(0, 12, 24)
    stripes, waves = t.sin().expand(24, 24), (t * t[:, None] / 8).sin()
    wave = torch.stack([stripes, stripes.T, waves, t.sin().outer(t.cos())])
    colour = torch.rand(count, 3, 1, 1)
    return wave[target].unsqueeze(1) * colour + 0.3 * torch.randn(count, 3, 24, 24), target


torch.manual_seed(0)
model = ResNet(BasicBlock, [1, 2], CLASSES, zero_init_residual=True)
print(model)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4, nesterov=True)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
images, targets = make_data(192)
val_images, val_targets = make_data(64)

best_acc1 = 0.0
for epoch in range(EPOCHS):
    model.train()
    order = torch.randperm(len(images))
    for i, chosen in enumerate(torch.chunk(order, len(images) // BATCH)):
        loss = criterion(model(images[chosen]), targets[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch} step {i} loss {loss.item():.6f}")

    losses, top1, top2 = AverageMeter(), AverageMeter(), AverageMeter()
    model.eval()
    with torch.no_grad():
        for image, target in zip(val_images.split(BATCH), val_targets.split(BATCH), strict=True):
            output = model(image)
            acc1, acc2 = accuracy(output, target, topk=(1, 2))
            losses.update(criterion(output, target).item(), image.size(0))
            top1.update(acc1[0].item(), image.size(0))
            top2.update(acc2[0].item(), image.size(0))
    scheduler.step()
    best_acc1 = max(top1.avg, best_acc1)
    print(f"validation {losses.avg:.5f} top1 {top1.avg:.2f} top2 {top2.avg:.2f} rate {scheduler.get_last_lr()[0]:.6f}")

print(f"best {best_acc1:.2f}", model.bn1.num_batches_tracked)
print(f"mean {model.layer2[0].downsample[1].running_mean.abs().mean().item():.5f}")
print(f"var {model.bn1.running_var.mean().item():.5f}")
