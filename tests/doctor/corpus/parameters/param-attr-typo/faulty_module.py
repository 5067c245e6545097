"""A layer is frozen by an attribute of the module, and a parameter in the words of Keras."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.encode = nn.Linear(4, 4)
        self.out = nn.Linear(4, 10)
        self.embed.weight.trainable = False  # finding: param-attr-typo

    def forward(self, tokens):
        return self.out(torch.tanh(self.encode(self.embed(tokens).mean(1))))


torch.manual_seed(0)
model = Net()
model.encode.requires_grad = False  # finding: param-attr-typo
optimizer = torch.optim.Adam(model.parameters())
for _ in range(4):
    tokens = torch.randint(10, (6, 3))
    loss = nn.functional.cross_entropy(model(tokens), tokens[:, 0])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
