"""The bootstrap target of a Q-network is computed with gradients."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
gamma = 0.99
for _step in range(6):
    states, next_states = torch.randn(32, 4), torch.randn(32, 4)
    actions, rewards = torch.randint(2, (32,)), torch.randn(32)
    dones = (torch.rand(32) < 0.1).float()
    q = q_net(states).gather(1, actions.unsqueeze(1)).squeeze(1)
    next_q = q_net(next_states).max(1)[0]
    target = rewards + gamma * next_q * (1 - dones)  # finding: rl-target-not-detached
    loss = F.smooth_l1_loss(q, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
