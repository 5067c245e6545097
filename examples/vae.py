"""A variational autoencoder lays handwritten digits out on a plane, and draws new ones from any place of it.

The encoder says where on the plane a picture belongs, and how sure it is: a normal distribution. A place is drawn from
it, and the decoder paints a picture of that place. `rsample` draws so that the gradient passes: mean plus spread times
noise, where the noise has no parameters. The loss is what the picture lost, and how far the encoder strays from a
standard normal distribution; the second is what makes the places between two digits mean something too.

    python examples/vae.py                  learn for 4,000 steps, draw the plane
    python examples/vae.py --losses 50      print the first 50 losses and stop
    python examples/vae.py --logs runs      write the losses for TensorBoard too

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
distributions = torch.distributions


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the split, the network, the batches and the noise")
    parser.add_argument("--steps", type=int, default=4000, help="of the optimizer")
    parser.add_argument("--batch", type=int, default=128, help="digits in a step")
    parser.add_argument("--hidden", type=int, default=128, help="units in the hidden layers")
    parser.add_argument("--lr", type=float, default=2e-3, help="learning rate")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="vae.png", metavar="FILE", help="where the picture goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def make_data():
    """Pictures (N, 64) from 0 to 1 and their digits, in an order by chance."""
    digits = load_digits()
    pictures = torch.tensor(digits.data, dtype=torch.float32) / 16
    order = torch.randperm(len(pictures))
    return pictures[order], torch.tensor(digits.target)[order]


class Autoencoder(nn.Module):
    """From a picture (N, 64) to a place (N, 2) and back."""

    def __init__(self, hidden):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 4)
        )
        self.decoder = nn.Sequential(
            nn.Linear(2, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 64)
        )

    def encode(self, pictures):
        mean, spread = self.encoder(pictures).chunk(2, dim=-1)
        return distributions.Normal(mean, F.softplus(spread) + 1e-4)

    def loss(self, pictures):
        """The bound on how surprising a picture is, in nats, as a mean over the pictures."""
        posterior = self.encode(pictures)
        painted = self.decoder(posterior.rsample())
        lost = F.binary_cross_entropy_with_logits(painted, pictures, reduction="none").sum(-1)
        strayed = distributions.kl_divergence(posterior, distributions.Normal(0.0, 1.0)).sum(-1)
        return (lost + strayed).mean()


def learn(network, pictures, arguments):
    """Train, and yield the loss of each step."""
    optimizer = torch.optim.Adam(network.parameters(), lr=arguments.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, arguments.steps)
    for _ in range(arguments.steps):
        loss = network.loss(pictures[torch.randint(len(pictures), (arguments.batch,))])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        yield loss.item()


@torch.no_grad()
def draw(network, pictures, digits, file):
    """Where the digits are on the plane, and what is painted of each place."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    places = network.encode(pictures).mean
    line = torch.linspace(-2, 2, 15)
    across, up = torch.meshgrid(line, line.flip(0), indexing="xy")
    painted = network.decoder(torch.stack([across, up], dim=-1)).sigmoid()
    # (15, 15, 8, 8) as one picture of 120 by 120 dots
    sheet = painted.view(15, 15, 8, 8).permute(0, 2, 1, 3).reshape(120, 120)
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.6), layout="constrained")
    shown = left.scatter(*places.T.numpy(), c=digits.numpy(), s=6, cmap="tab10", vmin=-0.5, vmax=9.5)
    figure.colorbar(shown, ax=left, ticks=range(10))
    left.set(title="where digits are", xlim=(-3, 3), ylim=(-3, 3))
    right.imshow(sheet.numpy(), cmap="gray_r", extent=(-2, 2, -2, 2))
    right.set(title="what is painted of each place")
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


def write_logs(losses, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for step, loss in enumerate(losses):
            writer.add_scalar("loss", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    pictures, digits = make_data()
    known, unseen = pictures[:1437], pictures[1437:]
    network = Autoencoder(arguments.hidden)
    steps = islice(learn(network, known, arguments), arguments.losses)
    losses = list(tqdm(steps, total=arguments.steps, disable=arguments.no_progress or arguments.losses is not None))
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    draw(network, pictures, digits, arguments.plot)
    if arguments.logs:
        write_logs(losses, arguments.logs)
    with torch.no_grad():
        print(f"bound on unseen digits: {network.loss(unseen).item():.2f} nats, {losses[0]:.2f} at first")


if __name__ == "__main__":
    main()
