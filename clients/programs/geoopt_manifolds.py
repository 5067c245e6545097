"""geoopt: points on spheres, Stiefel manifolds and in the Poincare ball, and optimizers that stay on them"""

import geoopt
import torch

torch.manual_seed(0)
matrix = torch.randn(6, 6, dtype=torch.float64)
matrix = matrix @ matrix.T
sphere = geoopt.Sphere()
point = geoopt.ManifoldParameter(sphere.projx(torch.randn(6, dtype=torch.float64)), manifold=sphere)
optimizer = geoopt.optim.RiemannianSGD([point], lr=1e-2, momentum=0.9)
for _ in range(300):
    loss = -(point @ matrix @ point)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
largest = torch.linalg.eigvalsh(matrix)[-1]
print(f"largest eigenvalue {-loss.item():.4f} of {largest.item():.4f}, norm {point.norm().item():.6f}")
assert torch.isclose(-loss, largest, rtol=1e-3)

frame = geoopt.ManifoldParameter(torch.eye(6, 2, dtype=torch.float64), manifold=geoopt.Stiefel())
optimizer = geoopt.optim.RiemannianAdam([frame], lr=5e-2)
for _ in range(300):
    loss = -torch.trace(frame.T @ matrix @ frame)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"two largest {-loss.item():.3f}, orthogonal {torch.allclose(frame.T @ frame, torch.eye(2).double(), atol=1e-6)}")
assert torch.isclose(-loss, torch.linalg.eigvalsh(matrix)[-2:].sum(), rtol=1e-2)

ball = geoopt.PoincareBall(c=1.0)
words = geoopt.ManifoldParameter(ball.random(8, 2, std=0.1), manifold=ball)
parents = torch.tensor([0, 0, 0, 1, 1, 2, 2, 3])
optimizer = geoopt.optim.RiemannianAdam([words], lr=2e-2)
for _ in range(150):
    near = ball.dist(words[1:], words[parents[1:]])
    apart = ball.dist(words[:, None], words[None]).fill_diagonal_(10.0)
    loss = near.mean() + torch.relu(1.5 - apart).mean() * 3
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"tree in the ball: loss {loss.item():.2f}, inside {bool((words.norm(dim=-1) < 1).all())}")
assert (words.norm(dim=-1) < 1).all()
moved = ball.expmap(words[:1], torch.tensor([[0.1, 0.2]]))
print("back along the geodesic", torch.allclose(ball.logmap(words[:1], moved), torch.tensor([[0.1, 0.2]]), atol=1e-4))
