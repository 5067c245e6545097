"""The auxiliary loss is added as a number."""

import torch
import torch.nn.functional as F
from torch import nn


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 12)
        self.main_head = nn.Linear(12, 3)
        self.aux_head = nn.Linear(12, 1)

    def forward(self, x):
        h = F.relu(self.body(x))
        return self.main_head(h), self.aux_head(h)


torch.manual_seed(0)
model = TwoHeads()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x, label, size = torch.randn(16, 6), torch.randint(3, (16,)), torch.randn(16, 1)
for epoch in range(5):
    logits, guess = model(x)
    main_loss = F.cross_entropy(logits, label)
    aux_loss = F.mse_loss(guess, size)
    loss = main_loss + 0.3 * aux_loss.item()  # finding: history-item
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
