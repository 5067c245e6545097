"""A new word makes the embedding grow, in the middle of training."""

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, 6)
        self.output = nn.Linear(6, 2)

    def forward(self, tokens):
        return self.output(self.embedding(tokens).mean(1))

    def grow(self, words):
        old = self.embedding.weight.data
        self.embedding = nn.Embedding(words, old.shape[1])  # finding: optim-stale-param
        self.embedding.weight.data[: len(old)] = old


torch.manual_seed(0)
tagger = Tagger(20)
optimizer = torch.optim.Adam(tagger.parameters(), lr=1e-2)
for step in range(9):
    if step == 3:
        tagger.grow(25)
    tokens = torch.randint(0, 20, (8, 5))
    loss = nn.functional.cross_entropy(tagger(tokens), torch.randint(2, (8,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
