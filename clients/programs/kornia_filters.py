"""kornia: filters, geometry, colours and losses that gradients go through."""

import kornia
import torch

torch.manual_seed(0)
image = torch.rand(1, 3, 24, 24)
blurred = kornia.filters.gaussian_blur2d(image, (5, 5), (1.5, 1.5))
edges = kornia.filters.sobel(kornia.color.rgb_to_grayscale(image))
print(
    "means",
    *(
        f"{each.mean().item():.5f}"
        for each in (blurred, edges, kornia.color.rgb_to_hsv(image), kornia.color.rgb_to_lab(image))
    ),
)

# the angle by which an image was turned, found by descent
yy, xx = torch.meshgrid(torch.linspace(-1, 1, 24), torch.linspace(-1, 1, 24), indexing="ij")
original = torch.exp(-((xx - 0.3) ** 2) * 8 - (yy + 0.2) ** 2 * 3)[None, None]
target = kornia.geometry.rotate(original, torch.tensor([20.0]))
angle = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam([angle], lr=1.0)
for _ in range(60):
    loss = (kornia.geometry.rotate(original, angle) - target).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"angle {angle.item():.2f}, ssim loss {kornia.losses.ssim_loss(blurred, image, 5).item():.4f}")
assert abs(angle.item() - 20) < 2
augment = kornia.augmentation.AugmentationSequential(
    kornia.augmentation.RandomHorizontalFlip(p=1.0), kornia.augmentation.RandomAffine(10.0, p=1.0), data_keys=["input"]
)
print("augmented", tuple(augment(image).shape))
