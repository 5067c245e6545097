"""A small GPT learns to add from examples alone, and is asked sums that it has never seen.

A sum is a line of characters, `37+85=221`: the answer is written backwards, units first, so that each digit follows
from what has been read and a carry. A transformer with causal attention guesses the next character, everywhere in the
line at once; only its guesses of the answer count. One sum in ten is kept back for the examination.

    python examples/gpt.py                  learn for 2,000 steps, sit the examination, draw the curves
    python examples/gpt.py --losses 50      print the first 50 losses and stop
    python examples/gpt.py --logs runs      write the losses for TensorBoard too

The program is plain PyTorch: with `import torch` as its first import it prints the same losses.
"""

import rushlight as torch  # isort: skip

import argparse
import importlib
from itertools import islice

from tqdm import tqdm

nn = torch.nn
F = torch.nn.functional

CHARACTERS = "0123456789+="
QUESTION, ANSWER = 6, 3  # the lengths of `37+85=` and `221`


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the network and of the sums")
    parser.add_argument("--steps", type=int, default=2000, help="of the optimizer")
    parser.add_argument("--batch", type=int, default=128, help="sums in a step")
    parser.add_argument("--width", type=int, default=64, help="numbers that stand for a character")
    parser.add_argument("--layers", type=int, default=2, help="blocks of attention and thought")
    parser.add_argument("--heads", type=int, default=4, help="of attention")
    parser.add_argument("--lr", type=float, default=3e-3, help="the highest learning rate of the cycle")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="gpt.png", metavar="FILE", help="where the picture goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def make_sums():
    """All sums of two numbers below a hundred, (10000, 9), by chance in two parts: to learn from, and to be asked."""
    lines = [f"{one:02}+{other:02}=" + f"{one + other:03}"[::-1] for one in range(100) for other in range(100)]
    sums = torch.tensor([[CHARACTERS.index(character) for character in line] for line in lines])
    sums = sums[torch.randperm(len(sums))]
    return sums[1000:], sums[:1000]


class Block(nn.Module):
    """Each character looks at those before it, then thinks by itself."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first_norm, self.second_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask = nn.Linear(width, 3 * width)
        self.gather = nn.Linear(width, width)
        self.think = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def attend(self, x):
        """From (N, length, width) to the same, through heads (N, heads, length, width / heads)."""
        query, key, value = self.ask(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.gather(seen.transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.attend(self.first_norm(x))
        return x + self.think(self.second_norm(x))


class GPT(nn.Module):
    """From characters (N, length) to the scores (N, length, characters) of what comes next."""

    def __init__(self, arguments):
        super().__init__()
        self.characters = nn.Embedding(len(CHARACTERS), arguments.width)
        self.places = nn.Embedding(QUESTION + ANSWER, arguments.width)
        self.blocks = nn.Sequential(*(Block(arguments.width, arguments.heads) for _ in range(arguments.layers)))
        self.norm = nn.LayerNorm(arguments.width)
        self.head = nn.Linear(arguments.width, len(CHARACTERS), bias=False)

    def forward(self, line):
        x = self.characters(line) + self.places(torch.arange(line.shape[1]))
        return self.head(self.norm(self.blocks(x)))


def learn(network, sums, arguments):
    """Train, and yield the loss of each step."""
    optimizer = torch.optim.AdamW(network.parameters(), weight_decay=0.01)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, arguments.lr, total_steps=arguments.steps)
    for _ in range(arguments.steps):
        batch = sums[torch.randint(len(sums), (arguments.batch,))]
        scores = network(batch[:, :-1])[:, -ANSWER:]
        loss = F.cross_entropy(scores.flatten(0, 1), batch[:, -ANSWER:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        yield loss.item()


@torch.no_grad()
def answer(network, questions):
    """The lines (N, 9) that begin with these questions (N, 6), one character after the other."""
    lines = questions
    for _ in range(ANSWER):
        lines = torch.cat([lines, network(lines)[:, -1:].argmax(-1)], dim=1)
    return lines


def read(line):
    """A line as one writes it: the answer the right way round."""
    text = "".join(CHARACTERS[number] for number in line.tolist())
    return f"{text[:QUESTION]}{text[QUESTION:][::-1]}"


def draw(losses, file):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(losses, color="#8a2f0c", linewidth=1)
    axes.set(title="A GPT learns to add", xlabel="step", ylabel="nats per digit", yscale="log")
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


def write_logs(losses, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for step, loss in enumerate(losses):
            writer.add_scalar("loss", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    known, unseen = make_sums()
    network = GPT(arguments)
    steps = islice(learn(network, known, arguments), arguments.losses)
    losses = list(tqdm(steps, total=arguments.steps, disable=arguments.no_progress or arguments.losses is not None))
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    draw(losses, arguments.plot)
    if arguments.logs:
        write_logs(losses, arguments.logs)
    lines = answer(network, unseen[:, :QUESTION])
    right = (lines == unseen).all(1)
    print(
        *(f"{read(line)} {'right' if good else 'wrong'}" for line, good in zip(lines[:5], right, strict=False)),
        sep="\n",
    )
    print(f"{right.float().mean().item():.1%} of unseen sums are right")


if __name__ == "__main__":
    main()
