"""A binary target as a probability of the only class."""

import torch
from torch import nn


class Spam(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.EmbeddingBag(50, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, words):
        return self.out(self.embed(words))


torch.manual_seed(0)
model, criterion = Spam(), nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
words = torch.randint(50, (16, 6))
is_spam = torch.randint(2, (16, 1)).float()
for epoch in range(5):
    optimizer.zero_grad()
    loss = criterion(model(words), is_spam)  # finding: loss-single-class
    loss.backward()
    optimizer.step()
