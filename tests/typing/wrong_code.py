"""User code in which type checkers must find an error in each line that says so."""

import rushlight as torch
from rushlight import nn, optim
from rushlight.nn import functional as F

x = torch.zeros(2)
x.sotfmax(0)  # wrong
torch.sotfmax(x, 0)  # wrong
F.sotfmax(x, 0)  # wrong
nn.Lineer(1, 2)  # wrong
optim.Adan([x])  # wrong
torch.add(x)  # wrong
torch.add(x, y=1)  # wrong
torch.add("x", x)  # wrong
torch.softmax(x, dim="rows")  # wrong
x.sum(keepdim=3.5)  # wrong
print(x.max(dim=0).middle)  # wrong
torch.stack(x, x)  # wrong
torch.arange("ten")  # wrong
torch.randint(10)  # wrong
torch.zeros(2, dtype="float32")  # wrong
F.cross_entropy(x)  # wrong
nn.Linear(3)  # wrong
nn.Linear(3, 4)("x")  # wrong
print(nn.Linear(3, 4)(x).middle)  # wrong
optim.SGD([x], rate=0.1)  # wrong
name: str = x == x  # wrong
