"""A variational autoencoder learns images of a blob at some place."""

import torch
from torch import nn
from torch.nn import functional as F

SIZE, HIDDEN, LATENT, BATCH, STEPS = 12, 64, 2, 64, 300


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(SIZE * SIZE, HIDDEN)
        self.fc21 = nn.Linear(HIDDEN, LATENT)
        self.fc22 = nn.Linear(HIDDEN, LATENT)
        self.fc3 = nn.Linear(LATENT, HIDDEN)
        self.fc4 = nn.Linear(HIDDEN, SIZE * SIZE)

    def encode(self, x):
        h1 = torch.tanh(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(torch.tanh(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, SIZE * SIZE))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    """Mean over the batch of reconstruction and Kullback-Leibler divergence."""
    reconstruction = F.binary_cross_entropy(recon_x, x.view(-1, SIZE * SIZE), reduction="sum")
    divergence = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return reconstruction / len(x), divergence / len(x)


def make_images(count):
    """Images (N, 1, H, W) of a round blob."""
    axis = torch.linspace(-1, 1, SIZE)
    centre = 1.2 * torch.rand(count, 2, 1, 1) - 0.6
    distance = (axis.view(1, 1, -1) - centre[:, 0]) ** 2 + (axis.view(1, -1, 1) - centre[:, 1]) ** 2
    return torch.exp(-distance / 0.08).unsqueeze(1)


torch.manual_seed(0)
images = make_images(512)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
model.train()
for step in range(STEPS):
    batch = images[torch.randint(len(images), (BATCH,))]
    optimizer.zero_grad()
    recon_batch, mu, logvar = model(batch)
    reconstruction, divergence = loss_function(recon_batch, batch, mu, logvar)
    loss = reconstruction + divergence
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.6f} divergence {divergence.item():.6f}")

model.eval()
with torch.no_grad():
    mu, _ = model.encode(images.view(-1, SIZE * SIZE))
    error = F.mse_loss(model.decode(mu), images.view(-1, SIZE * SIZE))
    sample = model.decode(torch.randn(64, LATENT))
print(f"error {error.item():.5f} variance {images.var().item():.5f} brightest {sample.amax(dim=1).mean().item():.3f}")
