"""zuko: normalizing flows of seven kinds learn the density of a bent cloud, and draw from it."""

import torch
import zuko

torch.manual_seed(0)
cloud = torch.randn(200, 2)
cloud[:, 1] += cloud[:, 0] ** 2
FLOWS = {
    "spline": zuko.flows.NSF(2, transforms=2, hidden_features=[16, 16]),
    "autoregressive": zuko.flows.MAF(2, transforms=2, hidden_features=[16]),
    "coupling": zuko.flows.NICE(2, transforms=2),
    "neural": zuko.flows.NAF(2, transforms=1, hidden_features=[16]),
    "mixture": zuko.flows.GMM(2, components=3),
    "squares": zuko.flows.SOSPF(2, transforms=1),
    "Bernstein": zuko.flows.BPF(2, transforms=1),
}
for name, flow in FLOWS.items():
    optimizer, losses = torch.optim.Adam(flow.parameters(), lr=0.01), []
    for _ in range(12):
        loss = -flow().log_prob(cloud).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(name, f"{losses[0]:.2f}", tuple(flow().sample((3,)).shape))
    assert losses[-1] < losses[0], (name, losses)
