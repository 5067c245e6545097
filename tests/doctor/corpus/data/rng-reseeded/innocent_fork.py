"""Samples are drawn from a fixed seed after each epoch, and training goes on from where its own generator stood."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
for epoch in range(5):
    for _ in range(2):
        fake = generator(torch.randn(16, 2))
        loss = (fake.mean(0) - 1).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.random.fork_rng():
        torch.manual_seed(7)
        with torch.no_grad():
            print(epoch, generator(torch.randn(4, 2)).mean().item())
    state = torch.get_rng_state()
    torch.manual_seed(11)
    probe = torch.randn(3)
    torch.set_rng_state(state)
