"""What is likely becomes likelier and what is not less likely: one likelihood enters with each sign."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(5):
    x = torch.randn(16, 4)
    good, bad = torch.randint(3, (16,)), torch.randint(3, (16,))
    optimizer.zero_grad()
    dist = Categorical(logits=net(x))
    preferred, rejected = dist.log_prob(good), dist.log_prob(bad)
    (-preferred.mean()).backward(retain_graph=True)
    (0.1 * rejected.mean()).backward()
    optimizer.step()

policy = nn.Linear(4, 3)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
for _ in range(5):
    dist = Categorical(logits=policy(torch.randn(16, 4)))
    action = dist.sample()
    price = action.float()
    loss = (dist.log_prob(action) * (price - price.mean())).mean() + 0.01 * dist.log_prob(action).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
