"""Log-probabilities and entropies by hand, in a list of losses; the bonus has the sign of a penalty."""

import torch
import torch.nn.functional as F
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)

    def forward(self, x):
        return F.softmax(self.linear(x), dim=-1)


torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.SGD(policy.parameters(), lr=0.05)
beta = 0.02
for _episode in range(6):
    losses = []
    for _ in range(5):
        probs = policy(torch.randn(3))
        action = torch.multinomial(probs, 1).item()
        reward = 1.0 if action == 0 else -1.0
        entropy = -(probs * torch.log(probs)).sum()
        log_prob = torch.log(probs[action])
        losses.append(-log_prob * reward + beta * entropy)  # finding: rl-entropy-sign
    loss = torch.stack(losses).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
