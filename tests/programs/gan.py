"""A generative adversarial network learns to draw points of a slanted ellipse."""

import torch
import torch.nn as nn

NOISE, HIDDEN, BATCH, STEPS = 4, 32, 64, 300


def real_points(count):
    """Points (N, 2) of a normal distribution whose axes are neither of one length nor upright."""
    return torch.randn(count, 2) @ torch.tensor([[0.8, 0.4], [0.0, 0.3]]) + torch.tensor([2.0, -1.0])


torch.manual_seed(0)
netG = nn.Sequential(nn.Linear(NOISE, HIDDEN), nn.LeakyReLU(0.2, inplace=True), nn.Linear(HIDDEN, 2))
netD = nn.Sequential(
    nn.Linear(2, HIDDEN),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Linear(HIDDEN, HIDDEN),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Linear(HIDDEN, 1),
)
criterion = nn.BCEWithLogitsLoss()
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
fixed_noise = torch.randn(1000, NOISE)

with torch.no_grad():
    start = netG(fixed_noise).mean(dim=0)

for step in range(STEPS):
    # the discriminator: real points are ones, drawn ones are zeros, and the generator stays out of it
    netD.zero_grad()
    real = real_points(BATCH)
    label = torch.full((BATCH, 1), 1.0)
    errD_real = criterion(netD(real), label)
    errD_real.backward()
    fake = netG(torch.randn(BATCH, NOISE))
    label.fill_(0.0)
    errD_fake = criterion(netD(fake.detach()), label)
    errD_fake.backward()
    if step == 0:
        print("untouched", all(p.grad is None for p in netG.parameters()))
    errD = errD_real + errD_fake
    optimizerD.step()

    # the generator: drawn points are to be taken for real ones
    netG.zero_grad()
    label.fill_(1.0)
    errG = criterion(netD(fake), label)
    errG.backward()
    optimizerG.step()
    print(f"step {step} loss {errG.item():.6f} judged {errD.item():.6f}")

with torch.no_grad():
    wanted = real_points(1000)
    drawn = netG(fixed_noise)
    gap = (drawn.mean(dim=0) - wanted.mean(dim=0)).norm()
print(f"start {(start - wanted.mean(dim=0)).norm().item():.4f} gap {gap.item():.4f}")
print(f"spread {drawn.std(dim=0).mean().item():.4f} wanted {wanted.std(dim=0).mean().item():.4f}")
print(f"correlation {torch.corrcoef(drawn.T)[0, 1].item():.4f}")
