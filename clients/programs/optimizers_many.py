"""pytorch-optimizer and torch-optimizer: a hundred and twenty methods take five steps, also those in old forms."""

import pytorch_optimizer
import torch
import torch_optimizer
from torch import nn

# they want a model, several processes, more arguments, or a step of another kind
OTHER = set(
    """adago adalomo adamc adammini adamuon alig bsam demo distributedmuon lomo magma muon muonclip normuon
ranger21 spectralsphere Lookahead Optimizer sam gsam wsam looksam friendlysam""".split()
)
SECOND = {"adahessian", "sophiah", "Adahessian"}


def steps(make, name: str) -> float:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer, x = make(net.parameters(), lr=1e-2), torch.randn(32, 4)

    def closure():
        optimizer.zero_grad()
        loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
        loss.backward(create_graph=name in SECOND)
        return loss

    for _ in range(5):
        loss = closure()
        if name.lower() == "lbfgs":
            optimizer.step(closure)
        else:
            optimizer.step()
    return loss.item()


count = 0
for name in sorted(pytorch_optimizer.get_supported_optimizers()):
    if name not in OTHER:
        value = steps(pytorch_optimizer.load_optimizer(name), name)
        count += value == value
older = {name: kind for name, kind in vars(torch_optimizer).items() if isinstance(kind, type) and name not in OTHER}
for name, kind in sorted(older.items()):
    value = steps(kind, name)
    count += value == value
    print(name, f"{value:.2f}")
print(count)
assert count > 110, count
