"""StepLR counts epochs, but is stepped after every batch."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.1)
data = torch.utils.data.TensorDataset(torch.randn(64, 4), torch.randint(2, (64,)))
loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
for _epoch in range(4):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()  # finding: lr-vanished
