"""A trainer class calls train() once, when it is made, and eval() after every epoch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
        self.head = nn.Linear(4 * 6 * 6, 2)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


class Trainer:
    def __init__(self, model, loader):
        self.model = model.train()
        self.loader = loader
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

    def fit(self, epochs):
        for _ in range(epochs):
            for images, labels in self.loader:
                self.optimizer.zero_grad()
                loss = self.criterion(self.model(images), labels)
                loss.backward()
                self.optimizer.step()
            self.evaluate()

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()  # finding: mode-eval-while-training
        correct = 0
        for images, labels in self.loader:
            correct += (self.model(images).argmax(1) == labels).sum().item()
        return correct


torch.manual_seed(1)
data = TensorDataset(torch.randn(24, 1, 8, 8), torch.randint(2, (24,)))
Trainer(ConvNet(), DataLoader(data, batch_size=8, shuffle=True)).fit(3)
