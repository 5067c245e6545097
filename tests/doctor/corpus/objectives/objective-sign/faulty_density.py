"""A mixture of Gaussians is fitted to data the wrong way round."""

import torch
import torch.distributions as D
from torch import nn


class Mixture(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(parts))
        self.means = nn.Parameter(torch.randn(parts))
        self.log_scales = nn.Parameter(torch.zeros(parts))

    def log_prob(self, x):
        each = D.Normal(self.means, self.log_scales.exp()).log_prob(x[:, None])
        return torch.logsumexp(each + torch.log_softmax(self.weights, 0), dim=1)


torch.manual_seed(0)
model = Mixture(3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.cat([torch.randn(30) - 2, torch.randn(30) + 2])
for step in range(6):
    optimizer.zero_grad()
    log_likelihood = model.log_prob(data)
    loss = log_likelihood.sum() / len(data)  # finding: objective-sign
    loss.backward()
    optimizer.step()
