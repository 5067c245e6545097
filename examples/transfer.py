"""Transfer learning: what was learned from the digits 0 to 4 helps to tell 5 to 9 apart, from a few examples of each.

The digits lie anywhere on a larger sheet. A network learns the first five of them, and that their place does not
matter. Its features are then frozen and get a new head, which is all that learns from the few examples; beside it, the
same network starts from scratch. Freezing has two halves:

- Parameters are frozen by `requires_grad_(False)`: backward computes nothing for them, and they have no `.grad`.
- Buffers are no parameters, so that does not touch them: the mean and spread of the pictures, made by
  `register_buffer`, and the running statistics of the batch norms, which move with every batch in `train()` and stay
  in `eval()`. They are in the `state_dict`, and so travel to the second network with the weights.

    python examples/transfer.py                  learn, transfer, draw both ways of learning
    python examples/transfer.py --losses 50      print the first 50 losses and stop
    python examples/transfer.py --logs runs      write the losses for TensorBoard too

The program is plain PyTorch: with `import torch` as its first import it prints the same losses.
"""

import rushlight as torch  # isort: skip

import argparse
import importlib
from itertools import islice

from sklearn.datasets import load_digits
from tqdm import tqdm

nn = torch.nn
F = torch.nn.functional


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the examples, the networks and the batches")
    parser.add_argument("--steps", type=int, default=500, help="of the optimizer, in each of three trainings")
    parser.add_argument("--batch", type=int, default=64, help="digits in a step of the first training")
    parser.add_argument("--examples", type=int, default=5, help="of each digit from 5 to 9")
    parser.add_argument("--lr", type=float, default=3e-3, help="learning rate")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="transfer.png", metavar="FILE", help="where the picture goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def scatter(pictures):
    """Pictures (N, 8, 8), each somewhere on a grainy sheet of its own: (N, 1, 12, 12)."""
    sheets = 0.5 * torch.randn(len(pictures), 1, 12, 12)
    rows, columns = torch.randint(5, (2, len(pictures))).tolist()
    for sheet, picture, row, column in zip(sheets, pictures, rows, columns, strict=True):
        sheet[0, row : row + 8, column : column + 8] += picture
    return sheets


def make_data(examples):
    """Pictures (N, 1, 12, 12), classes from 0 to 4: the first five digits, a few of the others, the rest of these."""
    digits = load_digits()
    order = torch.randperm(len(digits.target))
    pictures = scatter(torch.tensor(digits.images, dtype=torch.float32)[order])
    classes = torch.tensor(digits.target)[order]
    first = classes < 5
    few = torch.cat([(classes == digit).nonzero()[:examples, 0] for digit in range(5, 10)])
    rest = ~first
    rest[few] = False
    return [(pictures[chosen], classes[chosen] % 5) for chosen in (first, few, rest)]


class Normalize(nn.Module):
    """Pictures with mean 0 and spread 1: two numbers that belong to the network, and that no optimizer changes."""

    def __init__(self, pictures):
        super().__init__()
        self.register_buffer("mean", pictures.mean())
        self.register_buffer("spread", pictures.std())

    def forward(self, pictures):
        return (pictures - self.mean) / self.spread


class Network(nn.Module):
    """Features of pictures, and a head that tells five classes apart by them."""

    def __init__(self, pictures):
        super().__init__()
        self.features = nn.Sequential(
            Normalize(pictures),
            nn.Conv2d(1, 16, 3, padding=1, bias=False),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(32, 32, 3, padding=1, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
        )
        self.head = nn.Linear(32 * 9, 5)

    def forward(self, pictures):
        return self.head(self.features(pictures))


def freeze(module):
    """No parameter of it learns any more, and no statistic of a batch norm moves."""
    module.requires_grad_(False)
    module.eval()


def learn(network, pictures, classes, arguments):
    """Train what is not frozen, and yield the loss of each step."""
    optimizer = torch.optim.Adam((each for each in network.parameters() if each.requires_grad), lr=arguments.lr)
    for _ in range(arguments.steps):
        chosen = torch.randint(len(pictures), (min(arguments.batch, len(pictures)),))
        loss = F.cross_entropy(network(pictures[chosen]), classes[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


@torch.no_grad()
def accuracy(network, pictures, classes):
    network.eval()
    return (network(pictures).argmax(1) == classes).float().mean().item()


def count_changes(before, module):
    """How many tensors of a state are no longer what they were."""
    return sum(not torch.equal(each, before[name]) for name, each in module.state_dict().items())


def compare(first, few, rest, show, arguments):
    """The losses of a new head on frozen features and of a network from scratch, and what each knows in the end."""
    network = Network(few[0])
    # everything the first network has learned, buffers included, except for the head
    network.features.load_state_dict(first.features.state_dict())
    freeze(network.features)
    before = {name: each.clone() for name, each in network.features.state_dict().items()}
    transferred = show(learn(network, *few, arguments))
    parameters = list(network.features.parameters())
    print(f"frozen: {len(parameters)} parameters, {len(list(network.features.buffers()))} buffers, of which ", end="")
    print(
        f"{count_changes(before, network.features)} changed; {sum(each.grad is not None for each in parameters)} grads"
    )
    scratch = Network(few[0])
    alone = show(learn(scratch, *few, arguments))
    return transferred, alone, accuracy(network, *rest), accuracy(scratch, *rest)


def draw(transferred, alone, file):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(transferred, color="#8a2f0c", label="a new head on frozen features")
    axes.plot(alone, color="#2a6f97", label="all of it from scratch")
    axes.set(title="Learning from a few examples", xlabel="step", ylabel="loss", yscale="log")
    axes.legend()
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


def write_logs(curves, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for name, losses in curves.items():
            for step, loss in enumerate(losses):
                writer.add_scalar(f"loss/{name}", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    known, few, rest = make_data(arguments.examples)
    network = Network(known[0])

    def show(steps):
        return list(tqdm(steps, total=arguments.steps, disable=arguments.no_progress or arguments.losses is not None))

    losses = show(islice(learn(network, *known, arguments), arguments.losses))
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    transferred, alone, with_features, without = compare(network, few, rest, show, arguments)
    draw(transferred, alone, arguments.plot)
    if arguments.logs:
        write_logs({"first": losses, "transferred": transferred, "alone": alone}, arguments.logs)
    print(f"unseen digits: {with_features:.1%} right with frozen features, {without:.1%} from scratch")


if __name__ == "__main__":
    main()
