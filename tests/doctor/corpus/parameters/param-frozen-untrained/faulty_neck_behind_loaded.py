"""A loop freezes what was loaded, and a new layer behind it."""

import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F


def backbone():
    return nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())


class Classifier(nn.Module):
    def __init__(self, path):
        super().__init__()
        self.features = backbone()
        self.features.load_state_dict(torch.load(path))
        self.neck = nn.Linear(32, 16)
        self.classifier = nn.Linear(16, 3)

    def forward(self, x):
        return self.classifier(torch.relu(self.neck(self.features(x))))


torch.manual_seed(0)
with tempfile.TemporaryDirectory() as d:
    torch.save(backbone().state_dict(), os.path.join(d, "w.pt"))
    model = Classifier(os.path.join(d, "w.pt"))
for name, p in model.named_parameters():
    if "classifier" not in name:
        p.requires_grad = False  # finding: param-frozen-untrained
opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], 1e-3)
for _ in range(20):
    x = torch.randn(16, 10)
    loss = F.cross_entropy(model(x), torch.randint(0, 3, (16,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
