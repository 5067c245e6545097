"""A helper that gets the next batch, and always gets the first one."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Sines(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        x = torch.tensor([index / 40.0])
        return {"x": x, "y": torch.sin(6 * x)}


class Experiment:
    def __init__(self):
        self.loader = DataLoader(Sines(), batch_size=10, shuffle=False)
        self.model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)

    def get_batch(self):
        iterator = iter(self.loader)  # finding: data-same-batch
        return next(iterator)

    def run(self, iterations):
        for _ in range(iterations):
            batch = self.get_batch()
            self.optimizer.zero_grad()
            loss = ((self.model(batch["x"]) - batch["y"]) ** 2).mean()
            loss.backward()
            self.optimizer.step()


torch.manual_seed(0)
Experiment().run(12)
