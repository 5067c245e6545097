"""torchdiffeq: a spiral followed by nine solvers, and a network that learns it through the adjoint."""

import torch
from torch import nn
from torchdiffeq import odeint, odeint_adjoint

torch.manual_seed(0)
turn, start, times = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]]), torch.tensor([[2.0, 0.0]]), torch.linspace(0, 5, 40)
METHODS = "dopri5 dopri8 bosh3 adaptive_heun fehlberg2 euler midpoint rk4 implicit_adams".split()
for method in METHODS:
    end = odeint(lambda t, y: y @ turn, start, times, method=method)[-1]
    print(method, [round(each, 3) for each in end[0].tolist()])


class Slope(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))

    def forward(self, t, y):
        return self.net(y**3)


true = odeint(lambda t, y: y**3 @ turn, start, times)
slope, losses = Slope(), []
optimizer = torch.optim.Adam(slope.parameters(), lr=0.02)
for _ in range(20):
    loss = (odeint_adjoint(slope, start, times, method="rk4") - true).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"{losses[0]:.3f}")
assert losses[-1] < 0.8 * losses[0], losses[-1]
