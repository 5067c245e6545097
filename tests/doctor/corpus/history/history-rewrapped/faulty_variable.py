"""Code of 2017: Variable(x.data, requires_grad=True) between two networks."""

import torch
from torch import nn
from torch.autograd import Variable


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 4), nn.Tanh())
        self.decoder = nn.Linear(4, 8)

    def forward(self, x):
        code = self.encoder(x)
        code = Variable(code.data, requires_grad=True)  # finding: history-rewrapped
        return self.decoder(code)


torch.manual_seed(0)
model = Autoencoder()
optimizer = torch.optim.Adam(model.parameters())
for _ in range(5):
    x = Variable(torch.randn(16, 8))
    loss = (model(x) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
