"""A convolutional network reads handwritten digits: MNIST's small sibling, which comes with scikit-learn.

The 1,797 pictures of 8 by 8 dots need no download. Four fifths are to learn from, in batches that a `DataLoader`
shuffles anew in every epoch; batch normalisation and dropout know from `train()` and `eval()` which of the two it is.

    python examples/mnist_cnn.py                  learn for 600 steps, draw the digits that are still mistaken
    python examples/mnist_cnn.py --losses 50      print the first 50 losses and stop
    python examples/mnist_cnn.py --logs runs      write the losses for TensorBoard too

The program is plain PyTorch: with `import torch` as its first import it prints the same losses.
"""

import rushlight as torch  # isort: skip

import argparse
import importlib
from itertools import chain, islice, repeat

from sklearn.datasets import load_digits
from tqdm import tqdm

nn = torch.nn
F = torch.nn.functional


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the split, the network, the batches and dropout")
    parser.add_argument("--steps", type=int, default=600, help="of the optimizer")
    parser.add_argument("--batch", type=int, default=64, help="digits in a step")
    parser.add_argument("--lr", type=float, default=1e-2, help="the highest learning rate of the cycle")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="mnist_cnn.png", metavar="FILE", help="where the picture goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def make_data():
    """Pictures (N, 1, 8, 8) from 0 to 1 with their digits: those to learn from, and those to be judged by."""
    digits = load_digits()
    pictures = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
    whole = torch.utils.data.TensorDataset(pictures, torch.tensor(digits.target))
    return torch.utils.data.random_split(whole, [0.8, 0.2])


def make_network():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, bias=False),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, padding=1, bias=False),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(32 * 16, 10),
    )


def learn(network, known, arguments):
    """Train, and yield the loss of each step."""
    batches = torch.utils.data.DataLoader(known, arguments.batch, shuffle=True, drop_last=True)
    optimizer = torch.optim.AdamW(network.parameters())
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, arguments.lr, total_steps=arguments.steps)
    network.train()
    # epoch after epoch, until the steps are done
    for pictures, digits in islice(chain.from_iterable(repeat(batches)), arguments.steps):
        loss = F.cross_entropy(network(pictures), digits)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        yield loss.item()


@torch.no_grad()
def guess(network, pictures):
    network.eval()
    return network(pictures).argmax(1)


def draw(losses, pictures, digits, guesses, file):
    """The losses, and the digits that were taken for others."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(9, 4), layout="constrained")
    left, right = figure.subfigures(1, 2)
    axes = left.subplots()
    axes.plot(losses, color="#8a2f0c", linewidth=1)
    axes.set(title="loss", xlabel="step", yscale="log")
    wrong = (guesses != digits).nonzero().flatten().tolist()
    right.suptitle(f"{len(wrong)} of {len(digits)} mistaken")
    for axes, index in zip(right.subplots(3, 4).flat, wrong + [None] * 12, strict=False):
        axes.axis("off")
        if index is not None:
            axes.imshow(pictures[index, 0].numpy(), cmap="gray_r")
            axes.set_title(f"{digits[index]} read as {guesses[index]}", fontsize=8)
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


def write_logs(losses, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for step, loss in enumerate(losses):
            writer.add_scalar("loss", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    known, unseen = make_data()
    network = make_network()
    steps = islice(learn(network, known, arguments), arguments.losses)
    losses = list(tqdm(steps, total=arguments.steps, disable=arguments.no_progress or arguments.losses is not None))
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    pictures, digits = unseen[:]
    guesses = guess(network, pictures)
    draw(losses, pictures, digits, guesses, arguments.plot)
    if arguments.logs:
        write_logs(losses, arguments.logs)
    print(f"{(guesses == digits).float().mean().item():.1%} of unseen digits are read right")


if __name__ == "__main__":
    main()
