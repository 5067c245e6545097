"""e3nn: tensor products whose code is generated through torch.fx; turning the input turns the output."""

import torch
from e3nn import o3

torch.manual_seed(0)
features, angles = o3.Irreps("4x0e + 2x1o"), o3.Irreps("1x0e + 1x1o")
product, last = o3.FullyConnectedTensorProduct(features, angles, features), o3.Linear(features, "1x0e")
x, points = features.randn(5, -1), torch.randn(5, 3)
y = o3.spherical_harmonics(angles, points, normalize=True, normalization="component")
turn = o3.rand_matrix()
turned = product(x @ features.D_from_matrix(turn).T, y @ angles.D_from_matrix(turn).T)
off = (turned - product(x, y) @ features.D_from_matrix(turn).T).abs().max().item()
print("turns with its input", off < 1e-4)
assert off < 1e-4, off
optimizer, losses = torch.optim.Adam([*product.parameters(), *last.parameters()], 0.05), []
for _ in range(60):
    loss = (last(product(x, y)).squeeze() - torch.arange(5.0)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(f"{losses[0]:.2f}", tuple(o3.wigner_3j(1, 1, 2).shape))
assert losses[-1] < 0.3 * losses[0], losses[-1]
