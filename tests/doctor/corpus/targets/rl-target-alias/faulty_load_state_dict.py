"""The target network is the value network under another name."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
value_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
target_net = value_net  # finding: rl-target-alias
optimizer = torch.optim.Adam(value_net.parameters(), lr=1e-3)
for step in range(10):
    state, following = torch.randn(16, 4), torch.randn(16, 4)
    action, reward = torch.randint(2, (16, 1)), torch.randn(16, 1)
    with torch.no_grad():
        wanted = reward + 0.99 * target_net(following).max(1, keepdim=True)[0]
    loss = F.mse_loss(value_net(state).gather(1, action), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 5 == 4:
        target_net.load_state_dict(value_net.state_dict())
