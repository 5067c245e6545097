"""User code in which type checkers must find nothing wrong, and each type as it is said."""

from collections.abc import Callable, Iterator
from typing import assert_type

import rushlight as torch
from rushlight import Tensor, distributions, nn, optim
from rushlight.nn import functional as F

x = torch.randn(3, 4)
y = torch.zeros((3, 4), dtype=torch.float32, device="cpu", requires_grad=True)

# functions and methods
assert_type(x, Tensor)
assert_type(torch.add(x, y), Tensor)
assert_type(torch.add(x, 2, alpha=0.5), Tensor)
assert_type(x.add(y).mul_(2).sum(dim=(0, 1), keepdim=True), Tensor)
assert_type(torch.cat([x, y], dim=1), Tensor)
assert_type(torch.stack((x, y)), Tensor)
assert_type(torch.einsum("ij,kj->ik", x, y), Tensor)
assert_type(torch.quantile(x, 0.5), Tensor)
assert_type(torch.conv2d(x, y, stride=2, padding="same"), Tensor)
assert_type(torch.where(x > 0, x, 0.0), Tensor)
assert_type(torch.allclose(x, y), bool)
assert_type(torch.linalg.norm(x), Tensor)
assert_type(torch.fft.rfft(x).real, Tensor)
assert_type(torch.special.expit(x), Tensor)
assert_type(torch.arange(10), Tensor)
assert_type(torch.arange(0, 1, 0.1, dtype=torch.float64), Tensor)
assert_type(torch.randint(0, 10, (2, 3)), Tensor)
assert_type(torch.normal(0.0, 1.0, (2, 3)), Tensor)
assert_type(torch.linspace(0, 1, steps=5), Tensor)
assert_type(torch.tensor([1, 2]), Tensor)
assert_type(torch.from_numpy(x.numpy()), Tensor)
assert_type(x.reshape(2, -1), Tensor)
assert_type(x.view([2, -1]).permute(1, 0).expand(-1, 6), Tensor)
assert_type(x.to(torch.int64).to("cpu").to(y), Tensor)
assert_type(x.chunk(2), tuple[Tensor, ...])
assert_type(torch.var_mean(x), tuple[Tensor, Tensor])

# results that depend on how they are asked for
assert_type(x.max(), Tensor)
assert_type(x.max(dim=0).values, Tensor)
assert_type(torch.max(x, 0).indices, Tensor)
assert_type(torch.max(x, y), Tensor)
values, indices = x.sort(descending=True)
assert_type(values, Tensor)
assert_type(indices, Tensor)
assert_type(torch.linalg.svd(x).Vh, Tensor)
assert_type(x.nonzero(), Tensor)
assert_type(x.nonzero(as_tuple=True), tuple[Tensor, ...])
assert_type(F.max_pool2d(x, 2), Tensor)
assert_type(F.max_pool2d(x, 2, return_indices=True), tuple[Tensor, Tensor])
assert_type(x.size(), torch.Size)
assert_type(x.size(0), int)
assert_type(x.type(), str)

# operators
assert_type(x == y, Tensor)
assert_type(x != 1, Tensor)
assert_type(x < y, Tensor)
assert_type(~(x > 0) & (y > 0), Tensor)
assert_type(2 - x @ y.T / 3 + x**2, Tensor)
assert_type(-abs(x), Tensor)
assert_type(x[0, 1:, torch.newaxis, ...], Tensor)
assert_type(torch.newaxis, None)
x[x > 0] = 1.0
for row in x:
    assert_type(row, Tensor)
number: float = x.sum().item()


def doubled(value: Tensor | float) -> Tensor:
    if torch.is_tensor(value):
        return value * 2
    return torch.tensor(value * 2)


# attributes
assert_type(x.shape, torch.Size)
assert_type(x.shape[0], int)
assert_type(x.dtype, torch.dtype)
assert_type(torch.float32, torch.dtype)
assert_type(x.device, torch.device)
assert_type(x.requires_grad, bool)
assert_type(x.grad, Tensor | None)
assert_type(x.T, Tensor)
assert_type(x.is_cuda, bool)
assert_type(torch.pi, float)


# modules
class Network(nn.Module):
    scale: Tensor

    def __init__(self, features: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, 8), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(8, 1, bias=False)
        self.gain = nn.Parameter(torch.ones(1))
        self.register_buffer("scale", torch.ones(1))

    def forward(self, input: Tensor, double: bool = False) -> Tensor:
        found = self.head(self.body(input)) * self.gain * self.scale
        return found * 2 if double else found


class Pair(nn.Module):
    def forward(self, left: Tensor, *, right: Tensor) -> tuple[Tensor, Tensor]:
        return left, right


network = Network(4)
assert_type(nn.Linear(3, 4)(x), Tensor)
assert_type(nn.Linear(3, 4).weight, Tensor)
assert_type(network(x, double=True), Tensor)
assert_type(Pair()(x, right=y), tuple[Tensor, Tensor])
assert_type(nn.Parameter(x), nn.Parameter)
assert_type(network.gain, nn.Parameter)
assert_type(network.parameters(), Iterator[nn.Parameter])
assert_type(network.train().eval().to("cpu"), Network)
assert_type(nn.CrossEntropyLoss()(x, y), Tensor)
assert_type(F.cross_entropy(x, y, reduction="none"), Tensor)
activation: Callable[[Tensor], Tensor] = nn.ReLU()
layers: list[nn.Module] = [nn.ReLU(), network, nn.Conv2d(1, 2, kernel_size=3), nn.LazyLinear(2)]


# modes, optimizers, distributions
@torch.no_grad()
def evaluate(model: nn.Module, count: int = 1) -> float:
    return float(model(torch.ones(count)))


assert_type(evaluate(network), float)
with torch.inference_mode(), torch.set_grad_enabled(False), torch.enable_grad():
    pass

optimizer = optim.Adam(network.parameters(), lr=1e-3)
schedule = optim.lr_scheduler.StepLR(optimizer, 10)
others: list[optim.Optimizer] = [optim.SGD([{"params": [x]}], lr=0.1), optim.LBFGS([x])]
optimizer.zero_grad()
network(x).sum().backward()
assert_type(torch.autograd.grad(network(x).sum(), [x]), tuple[Tensor, ...])
optimizer.step()

normal = distributions.Normal(x, 1.0)
assert_type(normal.sample(), Tensor)
assert_type(normal.log_prob(normal.rsample((2,))), Tensor)
assert_type(distributions.kl_divergence(normal, normal), Tensor)


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, input: Tensor) -> Tensor:
        return input * 2

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, grad: Tensor) -> Tensor:
        return grad * 2
