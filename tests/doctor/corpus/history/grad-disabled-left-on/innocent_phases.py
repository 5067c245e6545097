"""set_grad_enabled as a block, by phase."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = {"train": (torch.randn(8, 3), torch.randint(2, (8,))), "val": (torch.randn(8, 3), torch.randint(2, (8,)))}
for epoch in range(4):
    for phase in ("train", "val"):
        model.train(phase == "train")
        x, y = data[phase]
        optimizer.zero_grad()
        with torch.set_grad_enabled(phase == "train"):
            loss = nn.functional.cross_entropy(model(x), y)
            if phase == "train":
                loss.backward()
                optimizer.step()
