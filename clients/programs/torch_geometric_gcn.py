"""torch_geometric: a graph network tells two communities apart, and graphs in batches."""

import torch
from torch.nn import functional as F
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, SAGEConv, global_mean_pool
from torch_geometric.utils import erdos_renyi_graph, stochastic_blockmodel_graph, to_undirected

torch.manual_seed(0)
edges = stochastic_blockmodel_graph([20, 20], [[0.5, 0.03], [0.03, 0.5]])
data = Data(x=torch.randn(40, 8), edge_index=to_undirected(edges), y=torch.arange(40) // 20)


class Net(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.one, self.two = layer(8, 16), layer(16, 2)

    def forward(self, data):
        return self.two(F.relu(self.one(data.x, data.edge_index)), data.edge_index)


for layer in (GCNConv, SAGEConv, GATConv):
    model = Net(layer)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(60):
        loss = F.cross_entropy(model(data), data.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    accuracy = (model(data).argmax(1) == data.y).float().mean().item()
    print(layer.__name__, f"{loss.item():.4f} {accuracy:.3f}")
    assert accuracy > 0.9

graphs = [
    Data(x=torch.ones(10, 1), edge_index=erdos_renyi_graph(10, p), y=torch.tensor([p > 0.4])) for p in (0.2, 0.6) * 12
]
layer, head = GCNConv(1, 8, normalize=False), torch.nn.Linear(8, 2)
optimizer = torch.optim.Adam([*layer.parameters(), *head.parameters()], lr=0.05)
for _ in range(20):
    for batch in DataLoader(graphs, batch_size=8, shuffle=True):
        pooled = global_mean_pool(layer(batch.x, batch.edge_index).relu(), batch.batch)
        loss = F.cross_entropy(head(pooled), batch.y.long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"graphs {loss.item():.4f}")
assert loss < 0.3
