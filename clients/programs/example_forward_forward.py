"""pytorch/examples' forward-forward on digits: each layer learns by itself to tell right labels from wrong ones"""

import itertools

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.optim import Adam


def with_labels(x, y):
    """Images whose first ten pixels say which digit they are."""
    x = x.clone()
    x[:, :10] *= 0.0
    x[range(x.shape[0]), y] = x.max()
    return x


class Layer(nn.Linear):
    def __init__(self, inputs, outputs):
        super().__init__(inputs, outputs)
        self.relu = nn.ReLU()
        self.opt = Adam(self.parameters(), lr=0.03)
        self.threshold = 1.0

    def forward(self, x):
        direction = x / (x.norm(2, 1, keepdim=True) + 1e-4)
        return self.relu(torch.mm(direction, self.weight.T) + self.bias.unsqueeze(0))

    def learn(self, right, wrong, rounds):
        for _ in range(rounds):
            good = self.forward(right).pow(2).mean(1)
            bad = self.forward(wrong).pow(2).mean(1)
            loss = torch.log(1 + torch.exp(torch.cat([-good + self.threshold, bad - self.threshold]))).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        print(f"layer of {self.out_features}: loss {loss.item():.3f}")
        return self.forward(right).detach(), self.forward(wrong).detach()


class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = nn.ModuleList([Layer(*pair) for pair in itertools.pairwise(sizes)])

    def learn(self, right, wrong, rounds):
        for layer in self.layers:
            right, wrong = layer.learn(right, wrong, rounds)

    @torch.no_grad()
    def guess(self, x):
        scores = []
        for label in range(10):
            hidden, score = with_labels(x, torch.full((len(x),), label)), 0
            for layer in self.layers:
                hidden = layer(hidden)
                score = score + hidden.pow(2).mean(1)
            scores.append(score)
        return torch.stack(scores, 1).argmax(1)


torch.manual_seed(4)
images, labels = load_digits(return_X_y=True)
x = torch.tensor(images, dtype=torch.float32)
x = nn.functional.pad((x - x.mean()) / x.std(), (10, 0))
y = torch.tensor(labels)
known = torch.randperm(len(x)) < 1400
right = with_labels(x[known], y[known])
wrong = with_labels(x[known], (y[known] + torch.randint(1, 10, (int(known.sum()),))) % 10)
net = Net([74, 200, 200])
net.learn(right, wrong, 400)
share = (net.guess(x[~known]) == y[~known]).float().mean().item()
print(f"right {share:.2f}")
assert share > 0.8
