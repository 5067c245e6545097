"""log_softmax into nll_loss and kl_div, also over an image and with log_target."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net, conv = nn.Linear(5, 3), nn.Conv2d(1, 3, 1)
optimizer = torch.optim.SGD([*net.parameters(), *conv.parameters()], lr=0.1)
x, y = torch.randn(20, 5), torch.randint(3, (20,))
image, mask = torch.randn(2, 1, 4, 4), torch.randint(3, (2, 4, 4))
for step in range(5):
    logs = F.log_softmax(net(x), dim=1)
    loss = F.nll_loss(logs, y) + F.nll_loss(F.log_softmax(conv(image), dim=1), mask)
    uniform = torch.full((20, 3), 1 / 3)
    loss = loss + F.kl_div(logs, uniform, reduction="batchmean")
    loss = loss + F.kl_div(logs, uniform.log(), reduction="batchmean", log_target=True)
    loss = loss + F.nll_loss(torch.log(torch.softmax(net(x), 1) + 1e-6), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
