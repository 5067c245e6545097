"""What is measured: one training step of small models, written once for every library with torch's interface.

A workload is a function of the library's module that sets itself up from a fixed seed and returns `step`,
which trains once and returns the loss as a number. A library with another interface gets its own function.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Workload:
    description: str
    # For each way to write it, the function that prepares it; see LIBRARIES for who uses which.
    prepare: dict[str, Callable]


@dataclass(frozen=True)
class Library:
    module: str
    # The interface its programs are written in: a key of Workload.prepare.
    interface: str = "torch"


def mlp_adam(torch):
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4))
    loss_function = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    # new data each step: on one example the loss goes to zero and the time to denormal numbers
    batches = itertools.cycle(zip(torch.randn(64, 1, 8).unbind(), torch.randn(64, 1, 4).unbind(), strict=True))

    def step():
        inputs, targets = next(batches)
        optimizer.zero_grad()
        loss = loss_function(model(inputs), targets)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


LIBRARIES = {
    "torch": Library("torch"),
    "rushlight": Library("rushlight"),
}

WORKLOADS = {
    "mlp": Workload("MLP 8-64-64-4, tanh, MSE, Adam, batch 1", {"torch": mlp_adam}),
}
