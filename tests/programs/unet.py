"""A U-Net with skip connections learns to mark discs in noisy images."""

import torch
import torch.nn as nn
import torch.nn.functional as F

SIZE, BATCH, STEPS = 16, 4, 40


class DoubleConv(nn.Module):
    """(convolution => [BN] => ReLU) * 2"""

    def __init__(self, in_channels, out_channels, mid_channels=None):
        super().__init__()
        if not mid_channels:
            mid_channels = out_channels
        self.double_conv = nn.Sequential(
            nn.Conv2d(in_channels, mid_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(mid_channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(mid_channels, out_channels, kernel_size=3, padding=1, bias=False),
            nn.BatchNorm2d(out_channels),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.double_conv(x)


class Down(nn.Module):
    """Downscaling with maxpool then double conv"""

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.maxpool_conv = nn.Sequential(nn.MaxPool2d(2), DoubleConv(in_channels, out_channels))

    def forward(self, x):
        return self.maxpool_conv(x)


class Up(nn.Module):
    """Upscaling then double conv"""

    def __init__(self, in_channels, out_channels, bilinear=True):
        super().__init__()
        if bilinear:
            self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
            self.conv = DoubleConv(in_channels, out_channels, in_channels // 2)
        else:
            self.up = nn.ConvTranspose2d(in_channels, in_channels // 2, kernel_size=2, stride=2)
            self.conv = DoubleConv(in_channels, out_channels)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        diffY = x2.size()[2] - x1.size()[2]
        diffX = x2.size()[3] - x1.size()[3]
        x1 = F.pad(x1, [diffX // 2, diffX - diffX // 2, diffY // 2, diffY - diffY // 2])
        return self.conv(torch.cat([x2, x1], dim=1))


class UNet(nn.Module):
    def __init__(self, n_channels, n_classes):
        super().__init__()
        self.inc = DoubleConv(n_channels, 8)
        self.down1 = Down(8, 16)
        self.down2 = Down(16, 16)
        self.up1 = Up(32, 8)
        self.up2 = Up(16, 8, bilinear=False)
        self.outc = nn.Conv2d(8, n_classes, kernel_size=1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down1(x1)
        x3 = self.down2(x2)
        x = self.up1(x3, x2)
        x = self.up2(torch.cat([x, x], dim=1), x1)
        return self.outc(x)


def dice_coeff(input, target, epsilon=1e-6):
    inter = 2 * (input * target).sum(dim=(-1, -2))
    sets_sum = input.sum(dim=(-1, -2)) + target.sum(dim=(-1, -2))
    sets_sum = torch.where(sets_sum == 0, inter, sets_sum)
    return ((inter + epsilon) / (sets_sum + epsilon)).mean()


def get_batch(count=BATCH):
    grid = torch.stack(torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="xy")).float()
    centre = torch.randint(4, SIZE - 4, (count, 2, 1, 1)).float()
    mask = ((grid - centre).pow(2).sum(1, keepdim=True) < 12).float()
    return torch.cat([mask, 1 - mask], 1) * 0.7 + torch.randn(count, 2, SIZE, SIZE) * 0.5, mask


torch.manual_seed(0)
net = UNet(2, 1)
print(net.up2)
print("parameters", sum(p.numel() for p in net.parameters() if p.requires_grad), len(net.state_dict()))
optimizer = torch.optim.RMSprop(net.parameters(), lr=2e-4, weight_decay=1e-8, momentum=0.9, foreach=True)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, "max", patience=2)
criterion = nn.BCEWithLogitsLoss()
for step in range(STEPS):
    net.train()
    images, masks = get_batch()
    pred = net(images)
    loss = criterion(pred, masks) + 1 - dice_coeff(F.sigmoid(pred), masks)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    print(f"step {step} loss {loss.item():.6f}")
    if step % 10 == 9:
        net.eval()
        with torch.inference_mode():
            images, masks = get_batch(8)
            score = dice_coeff((net(images) > 0).float(), masks)
        scheduler.step(score)
        print(f"dice {score.item():.4f} rate {optimizer.param_groups[0]['lr']:.6f}")

odd = net(torch.randn(1, 2, 13, 18))
print("odd sizes", odd.shape, odd.grad_fn is not None)
