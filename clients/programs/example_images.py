"""pytorch/examples on images that are made here: a VAE, a DCGAN, super resolution and a siamese network."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
place = torch.linspace(-1, 1, 16)
sizes = torch.rand(64, 1, 1) * 0.6 + 0.2
discs = ((place[None, :, None] ** 2 + place[None, None, :] ** 2) < sizes**2).float()[:, None]


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc21, self.fc22 = nn.Linear(256, 64), nn.Linear(64, 4), nn.Linear(64, 4)
        self.fc3, self.fc4 = nn.Linear(4, 64), nn.Linear(64, 256)

    def forward(self, x):
        hidden = F.relu(self.fc1(x.view(-1, 256)))
        mu, logvar = self.fc21(hidden), self.fc22(hidden)
        std = torch.exp(0.5 * logvar)
        z = mu + torch.randn_like(std) * std
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, logvar


vae, losses = VAE(), []
optimizer = torch.optim.Adam(vae.parameters(), lr=3e-3)
for _ in range(60):
    again, mu, logvar = vae(discs)
    missed = F.binary_cross_entropy(again, discs.view(-1, 256), reduction="sum")
    loss = missed - 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item() / len(discs))
print(f"vae {losses[0]:.1f}")
assert losses[-1] < 0.5 * losses[0], losses[-1]


def start(module):
    name = module.__class__.__name__
    if name.find("Conv") != -1:
        nn.init.normal_(module.weight, 0.0, 0.02)
    elif name.find("BatchNorm") != -1:
        nn.init.normal_(module.weight, 1.0, 0.02)
        nn.init.zeros_(module.bias)


generator = nn.Sequential(
    nn.ConvTranspose2d(8, 32, 4, 1, 0, bias=False), nn.BatchNorm2d(32), nn.ReLU(True),
    nn.ConvTranspose2d(32, 16, 4, 2, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(True),
    nn.ConvTranspose2d(16, 1, 4, 2, 1, bias=False), nn.Tanh(),
)  # fmt: skip
critic = nn.Sequential(
    nn.Conv2d(1, 16, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(16, 32, 4, 2, 1, bias=False), nn.BatchNorm2d(32), nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(32, 1, 4, 1, 0, bias=False), nn.Sigmoid(),
)  # fmt: skip
generator.apply(start)
critic.apply(start)
two = [torch.optim.Adam(each.parameters(), lr=1e-3, betas=(0.5, 0.999)) for each in (critic, generator)]
criterion, real = nn.BCELoss(), discs * 2 - 1
for step in range(15):
    critic.zero_grad()
    told = criterion(critic(real).view(-1), torch.full((64,), 1.0))
    told.backward()
    fake = generator(torch.randn(64, 8, 1, 1))
    caught = criterion(critic(fake.detach()).view(-1), torch.full((64,), 0.0))
    caught.backward()
    two[0].step()
    generator.zero_grad()
    fooled = criterion(critic(fake).view(-1), torch.full((64,), 1.0))
    fooled.backward()
    two[1].step()
    if step == 0:
        print(f"gan {told.item():.2f} {caught.item():.2f} {fooled.item():.2f}")
assert told < 0.69, told

enlarge = nn.Sequential(nn.Conv2d(1, 16, 5, 1, 2), nn.ReLU(), nn.Conv2d(16, 4, 3, 1, 1), nn.PixelShuffle(2))
optimizer, losses = torch.optim.Adam(enlarge.parameters(), lr=1e-2), []
for _ in range(30):
    loss = F.mse_loss(enlarge(F.avg_pool2d(discs, 2)), discs)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"super resolution {losses[0]:.3f}")
assert losses[-1] < 0.2 * losses[0], losses[-1]

branch = nn.Sequential(nn.Conv2d(1, 8, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 49, 16))
head = nn.Sequential(nn.Linear(32, 32), nn.ReLU(inplace=True), nn.Linear(32, 1), nn.Sigmoid())
optimizer = torch.optim.Adadelta([*branch.parameters(), *head.parameters()], lr=1.0)
large = sizes.flatten() > 0.5
for _ in range(40):
    order = torch.randperm(64)
    alike = (large == large[order]).float()
    answer = head(torch.cat((branch(discs), branch(discs[order])), 1)).squeeze()
    loss = nn.BCELoss()(answer, alike)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("siamese", bool(loss < 0.4))
assert loss < 0.4, loss
