"""backpack: gradients of each sample, variances, diagonals of the Gauss-Newton matrix and Kronecker factors"""

import torch
from backpack import backpack, extend
from backpack.extensions import KFAC, BatchGrad, BatchL2Grad, DiagGGNExact, DiagHessian, SumGradSquared, Variance
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(32, 1, 6, 6), torch.randint(3, (32,))
model = extend(
    nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.Sigmoid(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 3)
    )
)
loss_of = extend(nn.CrossEntropyLoss())
kinds = [BatchGrad(), BatchL2Grad(), SumGradSquared(), Variance(), DiagGGNExact(), KFAC(), DiagHessian()]
loss = loss_of(model(x), y)
with backpack(*kinds):
    loss.backward()
for name, each in model.named_parameters():
    assert torch.allclose(each.grad_batch.sum(0), each.grad, atol=1e-5)
    print(
        name,
        f"{each.variance.sum().item():.5f} {each.diag_ggn_exact.sum().item():.4f} {each.diag_h.sum().item():.4f}",
        len(each.kfac),
    )

# each step divided by the curvature
optimizer_lr, damping = 0.3, 1e-2
model = extend(nn.Sequential(nn.Linear(36, 16), nn.Tanh(), nn.Linear(16, 3)))
for _ in range(60):
    loss = loss_of(model(x.flatten(1)), y)
    model.zero_grad()
    with backpack(DiagGGNExact()):
        loss.backward()
    with torch.no_grad():
        for each in model.parameters():
            each -= optimizer_lr * each.grad / (each.diag_ggn_exact + damping)
print(f"loss {loss.item():.4f}")
assert loss < 0.1
