"""laplace-torch: how sure a trained network is, by a Gaussian around its weights; the prior is found by the evidence"""

import torch
from laplace import Laplace
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.rand(150, 1) * 8 - 4
y = torch.sin(x) + 0.2 * torch.randn_like(x)
loader = DataLoader(TensorDataset(x, y), batch_size=50)
model = nn.Sequential(nn.Linear(1, 30), nn.Tanh(), nn.Linear(30, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(300):
    for a, b in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(a), b).backward()
        optimizer.step()
for weights, structure in (("last_layer", "full"), ("all", "diag"), ("all", "kron"), ("all", "full")):
    around = Laplace(model, "regression", subset_of_weights=weights, hessian_structure=structure)
    around.fit(loader)
    log_prior, log_sigma = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    tuner = torch.optim.Adam([log_prior, log_sigma], lr=1e-1)
    for _ in range(40):
        tuner.zero_grad()
        loss = -around.log_marginal_likelihood(log_prior.exp(), log_sigma.exp())
        loss.backward()
        tuner.step()
    _, inside = around(torch.zeros(1, 1))
    _, outside = around(torch.full((1, 1), 8.0))
    print(
        weights, structure, f"evidence {-loss.item():.1f}, sigma {log_sigma.exp().item():.2f}", bool(outside > inside)
    )
    assert outside > inside
