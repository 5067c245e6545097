"""A list hides a network on purpose: it has an optimizer of its own, or was trained elsewhere."""

import io

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
trained = nn.Linear(4, 3)
file = io.BytesIO()
torch.save(trained.state_dict(), file)
file.seek(0)


class Generator(nn.Module):
    def __init__(self, critic, perception):
        super().__init__()
        self.body = nn.Linear(2, 4)
        self.critic = [critic]
        self.perception = [perception]

    def forward(self, z):
        return self.body(z)


perception = nn.Linear(4, 3)
perception.load_state_dict(torch.load(file))
generator = Generator(nn.Linear(4, 1), perception)
train = torch.optim.Adam(generator.parameters(), lr=1e-3)
train_critic = torch.optim.Adam(generator.critic[0].parameters(), lr=1e-3)
for _ in range(5):
    fake = generator(torch.randn(8, 2))
    critic_loss = F.softplus(generator.critic[0](fake.detach())).mean()
    train_critic.zero_grad()
    critic_loss.backward()
    train_critic.step()
    loss = -generator.critic[0](fake).mean() + generator.perception[0](fake).pow(2).mean()
    train.zero_grad()
    loss.backward()
    train.step()
