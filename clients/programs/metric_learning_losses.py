"""pytorch-metric-learning: a dozen losses over pairs and triplets, and an embedding that learns by one with a miner."""

import torch
from pytorch_metric_learning import losses, miners
from torch import nn

torch.manual_seed(0)
points = torch.randn(120, 8)
kinds = (points[:, 0] > 0).long() + 2 * (points[:, 1] > 0).long()
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
MADE = [
    losses.TripletMarginLoss(), losses.ContrastiveLoss(), losses.NTXentLoss(), losses.MultiSimilarityLoss(),
    losses.CircleLoss(), losses.SupConLoss(), losses.AngularLoss(), losses.LiftedStructureLoss(), losses.NPairsLoss(),
    losses.ArcFaceLoss(4, 4), losses.ProxyNCALoss(4, 4), losses.FastAPLoss(), losses.SoftTripleLoss(4, 4),
]  # fmt: skip
for each in MADE:
    value = each(net(points), kinds)
    value.backward()
    print(type(each).__name__, f"{value.item():.2f}")
optimizer, miner, seen = torch.optim.Adam(net.parameters(), 0.01), miners.MultiSimilarityMiner(), []
for _ in range(40):
    where = net(points)
    loss = MADE[0](where, kinds, miner(where, kinds))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    seen.append(loss.item())
assert seen[-1] < 0.6 * seen[0], seen
