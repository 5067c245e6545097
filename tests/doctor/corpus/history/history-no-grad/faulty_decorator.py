"""A helper of the training loop is decorated with no_grad, as the evaluation below is."""

import torch
from torch import nn

torch.manual_seed(0)
embed, mix, out = nn.Embedding(12, 6), nn.Linear(6, 6), nn.Linear(6, 12)


@torch.no_grad()  # finding: history-no-grad
def features(tokens):
    return torch.tanh(mix(embed(tokens).mean(1)))


def train(steps):
    parameters = [*embed.parameters(), *mix.parameters(), *out.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.1, momentum=0.9)
    for _ in range(steps):
        tokens = torch.randint(12, (6, 4))
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(out(features(tokens)), tokens[:, 0])
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate():
    tokens = torch.randint(12, (6, 4))
    return (out(features(tokens)).argmax(1) == tokens[:, 0]).float().mean().item()


train(4)
print(evaluate())
