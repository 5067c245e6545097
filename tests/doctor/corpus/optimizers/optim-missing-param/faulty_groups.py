"""Weight decay is split by hand, and the norm layers fall through both lists."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(5, 10)
        self.norm = nn.LayerNorm(10)
        self.out = nn.Linear(10, 1)

    def forward(self, x):
        return self.out(torch.relu(self.norm(self.inp(x))))


torch.manual_seed(0)
net = Net()
decay = [p for n, p in net.named_parameters() if n.endswith("weight") and "norm" not in n]
plain = [p for n, p in net.named_parameters() if n.endswith("bias") and "norm" not in n]
optimizer = torch.optim.AdamW(  # finding: optim-missing-param
    [{"params": decay, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=1e-3
)
data = torch.utils.data.TensorDataset(torch.randn(40, 5), torch.randn(40, 1))
for _epoch in range(2):
    for x, y in torch.utils.data.DataLoader(data, batch_size=10, shuffle=True):
        optimizer.zero_grad(set_to_none=True)
        nn.functional.smooth_l1_loss(net(x), y).backward()
        optimizer.step()
