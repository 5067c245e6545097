"""Eligibility traces: the program keeps its own sums of gradients, and clears those of backward."""

import torch
from torch import nn

torch.manual_seed(0)
value = nn.Linear(3, 1)
traces = [torch.zeros_like(p) for p in value.parameters()]
state = torch.randn(3)
for _step in range(12):
    following = torch.randn(3)
    estimate = value(state)
    value.zero_grad()
    estimate.backward()
    with torch.no_grad():
        error = 1 + 0.9 * value(following) - estimate
        for p, trace in zip(value.parameters(), traces):
            trace.mul_(0.7).add_(p.grad)
            p += 0.01 * error * trace
    state = following
