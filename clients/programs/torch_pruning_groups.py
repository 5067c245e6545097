"""torch-pruning: channels taken out of networks with all that depends on them, found by tracing the graph"""

import torch
import torch_pruning as tp
from torch import nn

torch.manual_seed(0)


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.inner = nn.Sequential(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 16, 3, padding=1))
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        x = torch.relu(self.norm(self.first(x)))
        x = x + self.inner(x)
        return self.head(x.mean((2, 3)))


model, example = Residual(), torch.randn(2, 3, 12, 12)
operations, parameters = tp.utils.count_ops_and_params(model, example)
pruner = tp.pruner.MagnitudePruner(
    model, example, importance=tp.importance.MagnitudeImportance(p=2), pruning_ratio=0.5, ignored_layers=[model.head]
)
pruner.step()
fewer, less = tp.utils.count_ops_and_params(model, example)
print(f"operations {operations:.0f} -> {fewer:.0f}, parameters {parameters} -> {less}")
print(model.first.out_channels, model.inner[0].out_channels, model.head.in_features, tuple(model(example).shape))
assert less < 0.4 * parameters
graph = tp.DependencyGraph().build_dependency(model, example_inputs=example)
group = graph.get_pruning_group(model.first, tp.prune_conv_out_channels, idxs=[1, 3])
print("depend on each other", len(group))
group.prune()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 3, 12, 12), torch.randint(5, (32,))
for _ in range(150):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"trained on: {loss.item():.2f}")
assert loss < 1.58
