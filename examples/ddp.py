"""Handwritten-like digits, classified by a network that several processes train together.

Each process has the same network and takes its share of every batch; `DistributedDataParallel` averages the gradients
while backward still runs. The losses are those of one process on the whole batch, however many there are. A checkpoint
is written every `--save-every` steps, whole or not at all, and a job that is started again goes on from it.

    python examples/ddp.py                                                          one process
    python -m rushlight.distributed.run --nproc_per_node 4 examples/ddp.py          four
    python -m rushlight.distributed.run --nproc_per_node 4 --max_restarts 3 examples/ddp.py --checkpoint digits.pt

The program is plain PyTorch: with `import torch` as its first import it prints the same losses, also under torchrun.
"""

import rushlight as torch  # isort: skip

import argparse
import os

from tqdm import tqdm

nn = torch.nn
dist = torch.distributed

# five rows of three dots each
GLYPHS = (
    "111101101101111 010110010010111 111001111100111 111001111001111 101101111001001 "
    "111100111001111 111100111101111 111001010010010 111101111101111 111101111001111"
).split()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0, help="of the network and of the digits")
    parser.add_argument("--steps", type=int, default=300, help="of the optimizer")
    parser.add_argument("--batch", type=int, default=120, help="digits in a batch, over all processes")
    parser.add_argument("--lr", type=float, default=5e-3, help="rate of Adam")
    parser.add_argument("--print-every", type=int, default=20, metavar="N", help="steps between two losses")
    parser.add_argument("--losses", type=int, metavar="N", help="print the first N losses and stop")
    parser.add_argument("--checkpoint", metavar="FILE", help="where the state goes, and where it comes from")
    parser.add_argument("--save-every", type=int, default=20, metavar="N", help="steps between two checkpoints")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    arguments = parser.parse_args()
    if arguments.losses is not None:
        arguments.steps, arguments.print_every, arguments.no_progress = arguments.losses, 1, True
    return arguments


def make_digits(count, generator):
    """Pictures (count, 1, 8, 8) of digits at random places, with noise, and the digits."""
    shapes = torch.tensor([[float(dot) for dot in glyph] for glyph in GLYPHS]).view(10, 5, 3)
    digits = torch.randint(0, 10, (count,), generator=generator)
    rows = torch.randint(0, 4, (count,), generator=generator).tolist()
    columns = torch.randint(0, 6, (count,), generator=generator).tolist()
    pictures = torch.randn(count, 1, 8, 8, generator=generator) * 0.3
    for picture, digit, row, column in zip(pictures, digits.tolist(), rows, columns, strict=True):
        picture[0, row : row + 5, column : column + 3] += shapes[digit]
    return pictures, digits


def batch_of(step, arguments):
    """The batch of a step, the same in every process and after every restart."""
    generator = torch.Generator()
    generator.manual_seed(1000 * arguments.seed + step)
    return make_digits(arguments.batch, generator)


def make_network():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 64, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def load(path, network, optimizer):
    """The step to go on with: 0, or the one after the last checkpoint."""
    if path is None or not os.path.exists(path):
        return 0
    state = torch.load(path)
    network.load_state_dict(state["network"])
    optimizer.load_state_dict(state["optimizer"])
    return state["step"] + 1


def save(path, step, network, optimizer):
    state = {"step": step, "network": network.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, path + ".new")
    os.replace(path + ".new", path)


def learn(arguments, rank, count):
    """Train; the first process prints the losses of the whole batches."""
    torch.manual_seed(arguments.seed)
    network = make_network()
    model = nn.parallel.DistributedDataParallel(network) if count > 1 else network
    optimizer = torch.optim.Adam(model.parameters(), lr=arguments.lr)
    first = load(arguments.checkpoint, network, optimizer)
    for step in tqdm(range(first, arguments.steps), disable=arguments.no_progress or rank > 0):
        pictures, digits = batch_of(step, arguments)
        loss = nn.functional.cross_entropy(model(pictures[rank::count]), digits[rank::count])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % arguments.print_every == 0:
            mean = loss.detach() / count
            if count > 1:
                dist.all_reduce(mean)
            if rank == 0:
                number = f"{step:5d} " if arguments.losses is None else ""
                print(f"{number}{mean.item():.5f}", flush=True)
        if arguments.checkpoint and rank == 0 and step % arguments.save_every == 0:
            save(arguments.checkpoint, step, network, optimizer)
    return network


@torch.no_grad()
def accuracy(network, arguments):
    pictures, digits = batch_of(-1 - arguments.seed, arguments)
    return (network(pictures).argmax(1) == digits).float().mean().item()


def main():
    arguments = parse_arguments()
    count = int(os.environ.get("WORLD_SIZE", 1))
    if arguments.batch % count:
        raise SystemExit(f"a batch of {arguments.batch} does not go evenly into {count} processes")
    if count > 1:
        dist.init_process_group()
    rank = dist.get_rank() if count > 1 else 0
    network = learn(arguments, rank, count)
    if rank == 0 and arguments.losses is None:
        print(f"{accuracy(network, arguments):.0%} of new digits are known")
    if count > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
