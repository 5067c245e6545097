"""Log-probabilities of one sure class are 0, and a mixture of heads is joined in log space."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
heads = nn.ModuleList([nn.Linear(5, 3) for _ in range(2)])
optimizer = torch.optim.SGD(heads.parameters(), lr=0.1)
x, y = torch.randn(20, 5), torch.randint(3, (20,))
for step in range(5):
    parts = torch.stack([F.log_softmax(head(x) * 50, dim=1) for head in heads])
    joined = torch.logsumexp(parts, 0) - torch.log(torch.tensor(2.0))
    loss = F.nll_loss(joined, y) + nn.NLLLoss()(parts[0], y) + 0.1 * sum(head.weight.pow(2).sum() for head in heads)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
