"""An augmentation adds to bytes in place, another one multiplies int16 samples of sound."""

import torch


def brighter(image, amount):
    image = image.clone()
    image += amount  # finding: dtype-wraparound
    return image


def louder(sound):
    return sound * 20  # finding: dtype-wraparound


torch.manual_seed(0)
weight = torch.randn(16, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.01)
for step in range(3):
    picture = brighter(torch.randint(100, 256, (16,), dtype=torch.uint8), 90).float() / 255
    sound = louder(torch.randint(-9000, 9000, (16,), dtype=torch.int16)).float() / 2**15
    loss = ((picture + sound) * weight).sum() ** 2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
