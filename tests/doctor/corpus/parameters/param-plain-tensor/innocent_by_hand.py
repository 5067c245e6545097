"""A prompt is moved by hand with its own rate; an attack is kept between steps."""

import torch
from torch import nn


class Prompted(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 2)
        self.prompt = torch.zeros(4, requires_grad=True)

    def forward(self, x):
        return self.net(x + self.prompt)


torch.manual_seed(0)
model = Prompted()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(10, 4), torch.randint(2, (10,))
for _ in range(5):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        model.prompt += 0.5 * model.prompt.grad.sign()
        model.prompt.grad = None
