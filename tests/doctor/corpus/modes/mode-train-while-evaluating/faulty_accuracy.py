"""The accuracy is measured with dropout on."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 4))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
train = DataLoader(TensorDataset(torch.randn(48, 8), torch.randint(4, (48,))), batch_size=16, shuffle=True)
test = DataLoader(TensorDataset(torch.randn(32, 8), torch.randint(4, (32,))), batch_size=16)

for epoch in range(3):
    for data, target in train:
        optimizer.zero_grad()
        loss = criterion(net(data), target)
        loss.backward()
        optimizer.step()
    correct = total = 0
    with torch.no_grad():
        for data, target in test:
            output = net(data)  # finding: mode-train-while-evaluating
            predicted = output.argmax(dim=1)
            correct += (predicted == target).sum().item()
            total += target.size(0)
    print(f"epoch {epoch}: {correct / total:.3f}")
