"""A second draw estimates the entropy; the action that was taken is scored."""

import torch
from torch import nn
from torch.distributions import Categorical, MixtureSameFamily, Normal

torch.manual_seed(0)
net = nn.Linear(2, 6)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(5):
    state = torch.rand(16, 2)
    weights, means = net(state).chunk(2, -1)
    dist = MixtureSameFamily(Categorical(logits=weights), Normal(means, torch.ones(16, 3)))
    action = dist.sample()
    reward = -(action - state.sum(1)).abs()
    entropy = -dist.log_prob(dist.sample()).mean()
    loss = -(dist.log_prob(action) * (reward - reward.mean())).mean() - 0.01 * entropy
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
