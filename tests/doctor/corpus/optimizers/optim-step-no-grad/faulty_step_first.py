"""step comes before backward, and zero_grad before both."""

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(x), y)
        self.optimizer.step()  # finding: optim-step-no-grad
        loss.backward()
        return loss.item()


torch.manual_seed(0)
trainer = Trainer(nn.Linear(5, 3))
for _epoch in range(3):
    for _batch in range(3):
        trainer.step(torch.randn(8, 5), torch.randint(3, (8,)))
