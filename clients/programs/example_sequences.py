"""pytorch/examples on sequences: a word language model with tied weights, sines by LSTM cells and L-BFGS, a graph."""

import math

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
WORDS, WIDTH, BATCH, SPAN = 20, 32, 8, 12
text = torch.tensor([(7 * i + i // 3) % WORDS for i in range(1_600)]).view(BATCH, -1).t().contiguous()


class RNNModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop, self.encoder = nn.Dropout(0.1), nn.Embedding(WORDS, WIDTH)
        self.rnn, self.decoder = nn.LSTM(WIDTH, WIDTH, 2, dropout=0.1), nn.Linear(WIDTH, WORDS)
        self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)

    def forward(self, words, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(words)), hidden)
        return F.log_softmax(self.decoder(self.drop(output)).view(-1, WORDS), dim=1), hidden


model, losses = RNNModel(), []
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(4):
    hidden = tuple(torch.zeros(2, BATCH, WIDTH) for _ in range(2))
    for start in range(0, len(text) - SPAN - 1, SPAN):
        hidden = tuple(each.detach() for each in hidden)
        output, hidden = model(text[start : start + SPAN], hidden)
        loss = F.nll_loss(output, text[start + 1 : start + 1 + SPAN].reshape(-1))
        model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        losses.append(loss.item())
print(f"words {losses[0]:.2f}")
assert losses[-1] < 0.7 * losses[0], losses[-1]


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1, self.lstm2, self.linear = nn.LSTMCell(1, 16), nn.LSTMCell(16, 16), nn.Linear(16, 1)

    def forward(self, input, future=0):
        outputs = []
        one, cell, two, other = (torch.zeros(input.size(0), 16, dtype=torch.double) for _ in range(4))
        for step in list(input.split(1, dim=1)) + [None] * future:
            one, cell = self.lstm1(outputs[-1] if step is None else step, (one, cell))
            two, other = self.lstm2(one, (two, other))
            outputs += [self.linear(two)]
        return torch.cat(outputs, dim=1)


waves = torch.sin((torch.arange(40.0)[None] + torch.arange(6.0)[:, None] * 5) / 4).double()
model = Sequence().double()
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.8)
criterion, losses = nn.MSELoss(), []
for _ in range(4):

    def closure():
        optimizer.zero_grad()
        loss = criterion(model(waves[:, :-1]), waves[:, 1:])
        loss.backward()
        return loss

    losses.append(optimizer.step(closure).item())
with torch.no_grad():
    ahead = model(waves[:, :-1], future=5)
print(f"waves {losses[0]:.3f}", tuple(ahead.shape))
assert losses[-1] < 0.2 * losses[0], losses


class GraphAttention(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.W, self.a = nn.Parameter(torch.empty(inputs, outputs)), nn.Parameter(torch.empty(2 * outputs, 1))
        nn.init.xavier_uniform_(self.W, gain=1.414)
        nn.init.xavier_uniform_(self.a, gain=1.414)

    def forward(self, x, links):
        hidden = x @ self.W
        size = hidden.shape[1]
        scores = F.leaky_relu(hidden @ self.a[:size] + (hidden @ self.a[size:]).T, 0.2)
        scores = torch.where(links > 0, scores, torch.full_like(scores, -9e15))
        return F.elu(F.softmax(scores, dim=1) @ hidden)


groups = torch.arange(30) % 3
links = (groups[:, None] == groups[None]).float() * (torch.rand(30, 30) < 0.4) + torch.eye(30)
one, two = GraphAttention(8, 8), GraphAttention(8, 3)
optimizer = torch.optim.Adam([*one.parameters(), *two.parameters()], lr=0.02, weight_decay=5e-4)
features = torch.randn(30, 8) + F.one_hot(groups, 8)
for _ in range(60):
    loss = F.cross_entropy(two(one(features, links), links), groups)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("graph", bool(loss < 0.3), math.isfinite(loss.item()))
assert loss < 0.3, loss
