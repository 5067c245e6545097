"""A recurrent network learns three sonnets by heart, a few letters at a time: truncated backpropagation through time.

The text is far too long to be unrolled. So the network reads it in pieces of `--length` letters and hands its state
from one piece to the next: the values go on, their history does not. `detach` is the cut. Without it each piece hangs
on all those before, whose graphs have been freed by their own backward; `--wrong` shows what happens then.

    python examples/char_rnn.py                  learn for 1,500 pieces, recite, draw the losses
    python examples/char_rnn.py --wrong          leave out the cut
    python examples/char_rnn.py --losses 50      print the first 50 losses and stop
    python examples/char_rnn.py --logs runs      write the losses for TensorBoard too

The program is plain PyTorch: with `import torch` as its first import it prints the same losses.
"""

import rushlight as torch  # isort: skip

import argparse
import importlib
import sys
from itertools import islice

from tqdm import tqdm

nn = torch.nn
F = torch.nn.functional

# William Shakespeare, sonnets 18, 116 and 130
TEXT = """\
Shall I compare thee to a summer's day?
Thou art more lovely and more temperate:
Rough winds do shake the darling buds of May,
And summer's lease hath all too short a date:
Sometime too hot the eye of heaven shines,
And often is his gold complexion dimm'd;
And every fair from fair sometime declines,
By chance or nature's changing course untrimm'd;
But thy eternal summer shall not fade
Nor lose possession of that fair thou owest;
Nor shall Death brag thou wander'st in his shade,
When in eternal lines to time thou growest:
So long as men can breathe or eyes can see,
So long lives this and this gives life to thee.

Let me not to the marriage of true minds
Admit impediments. Love is not love
Which alters when it alteration finds,
Or bends with the remover to remove:
O no! it is an ever-fixed mark
That looks on tempests and is never shaken;
It is the star to every wandering bark,
Whose worth's unknown, although his height be taken.
Love's not Time's fool, though rosy lips and cheeks
Within his bending sickle's compass come:
Love alters not with his brief hours and weeks,
But bears it out even to the edge of doom.
If this be error and upon me proved,
I never writ, nor no man ever loved.

My mistress' eyes are nothing like the sun;
Coral is far more red than her lips' red;
If snow be white, why then her breasts are dun;
If hairs be wires, black wires grow on her head.
I have seen roses damask'd, red and white,
But no such roses see I in her cheeks;
And in some perfumes is there more delight
Than in the breath that from my mistress reeks.
I love to hear her speak, yet well I know
That music hath a far more pleasing sound;
I grant I never saw a goddess go;
My mistress, when she walks, treads on the ground:
And yet, by heaven, I think my love as rare
As any she belied with false compare.

"""
LETTERS = sorted(set(TEXT))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the network")
    parser.add_argument("--steps", type=int, default=1500, help="pieces to read, with a step of the optimizer each")
    parser.add_argument("--length", type=int, default=24, help="letters in a piece")
    parser.add_argument("--readers", type=int, default=8, help="places of the text that are read at once")
    parser.add_argument("--hidden", type=int, default=128, help="units of the state")
    parser.add_argument("--lr", type=float, default=5e-3, help="learning rate at the start")
    parser.add_argument("--wrong", action="store_true", help="do not cut the history between two pieces")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--plot", default="char_rnn.png", metavar="FILE", help="where the picture of the losses goes")
    parser.add_argument("--logs", metavar="FOLDER", help="write the losses for TensorBoard there")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def encode(text):
    """The numbers (length,) of the letters."""
    return torch.tensor([LETTERS.index(letter) for letter in text])


class Reader(nn.Module):
    """Guesses the next letter, from the letters so far as its state remembers them."""

    def __init__(self, hidden):
        super().__init__()
        self.embedding = nn.Embedding(len(LETTERS), 32)
        self.memory = nn.LSTM(32, hidden, batch_first=True)
        self.guess = nn.Linear(hidden, len(LETTERS))

    def forward(self, letters, state=None):
        """From letters (N, length) to scores (N, length, letters), and the state after them."""
        remembered, state = self.memory(self.embedding(letters), state)
        return self.guess(remembered), state


def pieces(length, readers):
    """The next letters of every reader, forever: (readers, length + 1), the last one being only a target.

    The text is a ring, on which the readers start at equal distances.
    """
    text = encode(TEXT)
    places = torch.arange(readers).unsqueeze(1) * (len(text) // readers) + torch.arange(length + 1)
    while True:
        yield text[places % len(text)]
        places = places + length


def learn(network, arguments):
    """Train, and yield the loss of each piece."""
    optimizer = torch.optim.Adam(network.parameters(), lr=arguments.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, arguments.steps)
    state = None
    for piece in islice(pieces(arguments.length, arguments.readers), arguments.steps):
        scores, state = network(piece[:, :-1], state)
        loss = F.cross_entropy(scores.flatten(0, 1), piece[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        if not arguments.wrong:
            # the cut: the next piece begins with these values, and gradients end here
            state = tuple(each.detach() for each in state)
        yield loss.item()


@torch.no_grad()
def recite(network, beginning, count):
    """The beginning, and the letters that the network thinks most likely after it."""
    text, letters, state = beginning, encode(beginning), None
    for _ in range(count):
        scores, state = network(letters.unsqueeze(0), state)
        letters = scores[0, -1:].argmax(1)
        text += LETTERS[letters.item()]
    return text


@torch.no_grad()
def known(network):
    """The share of the letters that the most likely guess gets right, reading from the start."""
    letters = encode(TEXT)
    scores, _ = network(letters[:-1].unsqueeze(0))
    return (scores[0].argmax(1) == letters[1:]).float().mean().item()


def draw(losses, file):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    axes.plot(losses, color="#8a2f0c", linewidth=1)
    axes.set(title="Three sonnets, letter by letter", xlabel="piece", ylabel="nats per letter", ylim=(0, None))
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


def write_logs(losses, folder):
    with importlib.import_module(f"{torch.__name__}.utils.tensorboard").SummaryWriter(folder) as writer:
        for step, loss in enumerate(losses):
            writer.add_scalar("loss", loss, step)


def main():
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    network = Reader(arguments.hidden)
    steps = islice(learn(network, arguments), arguments.losses)
    try:
        losses = list(tqdm(steps, total=arguments.steps, disable=arguments.no_progress or arguments.losses is not None))
    except RuntimeError as error:
        sys.exit(f"the second piece went back into the first: {error}")
    if arguments.losses is not None:
        print(*(f"{loss:.6f}" for loss in losses), sep="\n")
        return
    draw(losses, arguments.plot)
    if arguments.logs:
        write_logs(losses, arguments.logs)
    print(recite(network, "Shall I compare", 150))
    print(f"\n{known(network):.1%} of the letters are known")


if __name__ == "__main__":
    main()
