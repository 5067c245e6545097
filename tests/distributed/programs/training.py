"""DistributedDataParallel against one process on the joined batch, under PyTorch's gloo or Rushlight's MPI.

Every network is trained twice: by all processes, each on its rows, and by each process alone on all rows.
"""

import json
import os
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 8
ROWS = 4
results = {}
dist.init_process_group("gloo", timeout=timedelta(seconds=20))
rank, size = dist.get_rank(), dist.get_world_size()


class Tied(nn.Module):
    """Two layers with one weight."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.last = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.last(torch.tanh(self.second(torch.tanh(self.first(x)))))


class Recurrent(nn.Module):
    """An LSTM over the features as a sequence."""

    def __init__(self):
        super().__init__()
        self.lstm, self.last = nn.LSTM(1, 5, batch_first=True), nn.Linear(5, 3)

    def forward(self, x):
        return self.last(self.lstm(x[:, :, None])[0][:, -1])


class Convolutional(nn.Module):
    """Convolutions with batch norm, which has to see all rows to be the same in one process."""

    def __init__(self):
        super().__init__()
        # a bias before the norm has no gradient but rounding errors
        self.conv, self.norm, self.last = nn.Conv2d(1, 4, 2, bias=False), nn.BatchNorm2d(4), nn.Linear(8, 3)

    def forward(self, x):
        return self.last(torch.relu(self.norm(self.conv(x.view(-1, 1, 3, 2)))).flatten(1))


class Branching(nn.Module):
    """Uses one branch or the other."""

    def __init__(self):
        super().__init__()
        self.left, self.right, self.never = nn.Linear(6, 3), nn.Linear(6, 3), nn.Linear(6, 3)

    def forward(self, x, left=True):
        return self.left(x) if left else self.right(x)


NETWORKS = {
    "mlp": lambda: nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)),
    "tied": Tied,
    "lstm": Recurrent,
    "cnn": Convolutional,
}
OPTIONS = {
    "plain": {},
    "views": {"gradient_as_bucket_view": True},
    "small buckets": {"bucket_cap_mb": 0.0001},
    "static": {"static_graph": True},
    "unused": {"find_unused_parameters": True},
}


def batches(count=STEPS):
    generator = torch.Generator()
    generator.manual_seed(0)
    for _ in range(count):
        x = torch.randn(ROWS * size, 6, generator=generator)
        yield x, torch.randint(0, 3, (ROWS * size,), generator=generator)


def loss_of(model, x, y):
    return nn.functional.cross_entropy(model(x), y)


def numbers(model):
    return [value for each in model.parameters() for value in each.detach().double().reshape(-1).tolist()]


def close(one, two, tolerance=1e-4):
    return len(one) == len(two) and all(abs(a - b) <= tolerance * max(1, abs(a)) for a, b in zip(one, two, strict=True))


def alone(make, optimizer_of, accumulate=1):
    """Losses and weights of one process on all rows."""
    torch.manual_seed(7)
    model = make()
    optimizer = optimizer_of(model.parameters())
    losses = []
    for number, (x, y) in enumerate(batches()):
        loss = loss_of(model, x, y)
        loss.backward()
        losses.append(loss.item())
        if (number + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
    return losses, numbers(model)


def together(make, optimizer_of, options, accumulate=1, prepare=lambda model: None):
    """The same by all processes, each on its rows; losses are those of all rows."""
    # others begin differently and get the weights of the first
    torch.manual_seed(7 + rank)
    model = DistributedDataParallel(make(), **options)
    prepare(model)
    optimizer = optimizer_of(model.parameters())
    losses = []
    for number, (x, y) in enumerate(batches()):
        own = slice(ROWS * rank, ROWS * (rank + 1))
        if (number + 1) % accumulate:
            with model.no_sync():
                loss = loss_of(model, x[own], y[own])
                loss.backward()
        else:
            loss = loss_of(model, x[own], y[own])
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        mean = loss.detach() / size
        dist.all_reduce(mean)
        losses.append(mean.item())
    return losses, numbers(model), model


def adam(parameters):
    return torch.optim.Adam(parameters, lr=0.01)


def momentum(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


def synchronized(make):
    return lambda: nn.SyncBatchNorm.convert_sync_batchnorm(make())


for name, make in NETWORKS.items():
    # PyTorch has synchronized batch norm on graphics cards only
    if name == "cnn" and "rushlight" not in sys.modules:
        continue
    wanted = alone(make, adam)
    for option, options in OPTIONS.items():
        found = together(synchronized(make) if name == "cnn" else make, adam, options)
        assert close(found[0], wanted[0]), (name, option, found[0], wanted[0])
        assert close(found[1], wanted[1], 2e-3), (name, option)
        results[f"{name} {option}"] = found[0] + found[1]
    wanted = alone(make, momentum, accumulate=2)
    if name != "cnn":
        found = together(make, momentum, {}, accumulate=2)
        assert close(found[0], wanted[0]) and close(found[1], wanted[1], 2e-3), (name, "accumulated")
        results[f"{name} accumulated"] = found[0] + found[1]

# a batch norm that is not shared: its buffers are those of the first process
losses, weights, model = together(NETWORKS["cnn"], momentum, {})
results["cnn with batch norm of its own"] = losses + weights
model(next(batches(1))[0])
means = [torch.zeros(4) for _ in range(size)]
dist.all_gather(means, model.module.norm.running_mean.clone())

# branches that only some processes take, and one that nobody does
torch.manual_seed(1)
model = DistributedDataParallel(Branching(), find_unused_parameters=True)
model(torch.ones(2, 6), left=rank == 0).sum().backward()
results["branches"] = [model.module.left.weight.grad.sum().item(), model.module.right.bias.grad.sum().item()]
assert abs(results["branches"][0] - 36 / size) < 1e-4 and model.module.never.weight.grad is None
assert abs(results["branches"][1] - 6 * (size - 1) / size) < 1e-5
model = DistributedDataParallel(Branching())
model(torch.ones(2, 6)).sum().backward()
try:
    model(torch.ones(2, 6))
    raise AssertionError("unused parameters were not told of")
except RuntimeError as error:
    assert "Expected to have finished reduction in the prior iteration" in str(error)

# hooks
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook  # noqa: E402

wanted = alone(NETWORKS["mlp"], momentum)
BFLOAT16 = ["bf16_compress_hook"] if "rushlight" in sys.modules else []
for name in ("allreduce_hook", "fp16_compress_hook", *BFLOAT16):
    hook = getattr(default_hooks, name)
    found = together(
        NETWORKS["mlp"], momentum, {}, prepare=lambda model, hook=hook: model.register_comm_hook(None, hook)
    )
    tolerance = 1e-4 if name == "allreduce_hook" else 3e-2
    assert close(found[0], wanted[0], tolerance), (name, found[0], wanted[0])
wrapped = default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook)
found = together(NETWORKS["mlp"], momentum, {}, prepare=lambda model: model.register_comm_hook(None, wrapped))
assert close(found[0], wanted[0], 3e-2)
BATCHED = [powerSGD_hook.batched_powerSGD_hook] if "rushlight" in sys.modules else []
for hook in (powerSGD_hook.powerSGD_hook, *BATCHED):
    state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=2, start_powerSGD_iter=2)
    found = together(
        NETWORKS["mlp"], momentum, {}, prepare=lambda model, use=(state, hook): model.register_comm_hook(*use)
    )
    assert close(found[0][:3], wanted[0][:3]) and all(
        abs(a - b) < 0.5 for a, b in zip(found[0], wanted[0], strict=True)
    )

# uneven inputs: the process of number r has r inputs more
for divide in (True, False):
    torch.manual_seed(5)
    model = DistributedDataParallel(nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with model.join(divide_by_initial_world_size=divide):
        for number in range(3 + rank):
            optimizer.zero_grad()
            model(torch.full((1, 2), float(number + 1))).sum().backward()
            optimizer.step()
    results[f"uneven {divide}"] = numbers(model)
gathered = [None] * size
dist.all_gather_object(gathered, numbers(model))
assert all(close(each, gathered[0], 1e-6) for each in gathered)

# an optimizer whose memory is split
from torch.distributed.optim import ZeroRedundancyOptimizer  # noqa: E402

wanted = alone(NETWORKS["mlp"], adam)
found = together(NETWORKS["mlp"], lambda p: ZeroRedundancyOptimizer(p, torch.optim.Adam, lr=0.01), {})
assert close(found[0], wanted[0]) and close(found[1], wanted[1], 2e-3)
results["split optimizer"] = found[0] + found[1]
model = nn.Linear(4, 4)
split = ZeroRedundancyOptimizer(model.parameters(), torch.optim.Adam, lr=0.01)
model(torch.ones(1, 4)).sum().backward()
split.step()
split.consolidate_state_dict(0)
if rank == 0:
    state = split.state_dict()
    assert sorted(state["state"]) == [0, 1] and state["param_groups"][0]["lr"] == 0.01
    split.load_state_dict(state)

# collectives that gradients flow through
import torch.distributed.nn.functional as collectives  # noqa: E402

x = torch.full((2,), rank + 1.0, requires_grad=True)
(collectives.all_reduce(x * 1) * (rank + 1)).sum().backward()
results["gradient of all_reduce"] = x.grad.tolist()
assert x.grad.tolist() == [sum(range(1, size + 1))] * 2
x.grad = None
sum((index + 1) * part.sum() for index, part in enumerate(collectives.all_gather(x * 1))).backward()
results["gradient of all_gather"] = x.grad.tolist()
x.grad = None
(collectives.broadcast(x * 1, 0) * (rank + 2)).sum().backward()
results["gradient of broadcast"] = x.grad.tolist()
x.grad = None
(collectives.reduce(x * 1, 0) * (rank + 2)).sum().backward()
results["gradient of reduce"] = x.grad.tolist()
x.grad = None
parts = collectives.all_to_all([torch.empty(2) for _ in range(size)], [x * (index + 1) for index in range(size)])
sum((index + rank) * part.sum() for index, part in enumerate(parts)).backward()
results["gradient of all_to_all"] = x.grad.tolist()
x.grad = None
(collectives.reduce_scatter(torch.empty(2), [x * (index + 1) for index in range(size)]) * (rank + 1)).sum().backward()
results["gradient of reduce_scatter"] = x.grad.tolist()
x.grad = None
(collectives.scatter([x * (index + 1) for index in range(size)], 0) * (rank + 1)).sum().backward()
results["gradient of scatter"] = x.grad.tolist()
x.grad = None
sum(((index + 1) * part).sum() for index, part in enumerate(collectives.gather(x * 1, 0))).backward()
results["gradient of gather"] = x.grad.tolist()

# networks that differ, after which PyTorch's group is of no use any more
for init_sync, width in ((True, 2 + rank), (False, 2)) if "rushlight" in sys.modules else ():
    torch.manual_seed(rank)
    try:
        DistributedDataParallel(nn.Linear(3, width), init_sync=init_sync)
        raise AssertionError("different networks were not told of")
    except RuntimeError as error:
        assert "weight" in str(error) and "rank 1" in str(error), error
dist.barrier()
dist.destroy_process_group()
if "RESULTS" in os.environ:
    with open(f"{os.environ['RESULTS']}.{rank}", "w") as file:
        json.dump(results, file)
print(f"rank {rank} of {size}: {len(results)} results")
