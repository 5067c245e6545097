"""Forward algorithm in log space: impossible states are -inf, a running minimum starts at inf, and NaN is looked for."""

import torch

torch.manual_seed(0)
transition = torch.randn(4, 4, requires_grad=True)
emission = torch.randn(4, 6, requires_grad=True)
optimizer = torch.optim.Adam([transition, emission], lr=0.05)
observed = torch.randint(6, (9,))
best = torch.tensor(float("inf"))
missing = torch.tensor([1.0, float("nan"), 3.0])
for step in range(6):
    rows = torch.log_softmax(transition, 1)
    likely = torch.log_softmax(emission, 1)
    alpha = torch.full((4,), float("-inf"))
    alpha[0] = 0.0
    for symbol in observed:
        alpha = torch.logsumexp(alpha[:, None] + rows, 0) + likely[:, symbol]
    loss = -torch.logsumexp(alpha, 0)
    loss = loss + 0.1 * torch.nan_to_num(missing).mean() + missing[~missing.isnan()].mean()
    if torch.isfinite(loss):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    best = torch.minimum(best, loss.detach())
