"""A LeNet learns to tell ten directions of a bar in noisy images."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

CLASSES, SIZE, BATCH, STEPS = 10, 28, 32, 90


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, CLASSES)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def make_images(count):
    """Images (N, 1, H, W) of a bar somewhere near the middle, and its direction (N,)."""
    labels = torch.randint(CLASSES, (count,))
    angle = (labels * math.pi / CLASSES).view(-1, 1, 1)
    shift = 0.6 * torch.rand(count, 1, 1) - 0.3
    axis = torch.linspace(-1, 1, SIZE)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    bars = ((x * torch.cos(angle) + y * torch.sin(angle) - shift).abs() < 0.15).float()
    return (bars + 0.3 * torch.randn(count, SIZE, SIZE)).unsqueeze(1), labels


torch.manual_seed(0)
images, labels = make_images(1024)
test_images, test_labels = make_images(256)
model = LeNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
criterion = nn.CrossEntropyLoss()

model.train()
for step in range(STEPS):
    if step % (len(images) // BATCH) == 0:
        batches = torch.randperm(len(images)).split(BATCH)
    chosen = batches[step % len(batches)]
    optimizer.zero_grad()
    loss = criterion(model(images[chosen]), labels[chosen])
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.6f}")

model.eval()
with torch.no_grad():
    correct = (model(test_images).argmax(dim=1) == test_labels).sum().item()
print(f"accuracy {correct / len(test_labels):.3f}")
