"""A variational autoencoder draws its code with sample()."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.spread = nn.Linear(8, 2), nn.Linear(8, 2)
        self.decoder = nn.Linear(2, 8)

    def forward(self, x):
        code = Normal(self.mean(x), F.softplus(self.spread(x)) + 1e-3)
        z = code.sample()  # finding: history-sample
        return self.decoder(z)


torch.manual_seed(0)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(16, 8)
for step in range(5):
    loss = F.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
