"""Runs the examples at full length, beside the same files under PyTorch, and writes docs/examples.md.

    python tools/examples.py --ours .venv/bin/python --torch .venv-torch/bin/python --report docs
    python tools/examples.py --ours .venv/bin/python --only gan ppo        print their rows, write nothing

Under PyTorch a file runs as it is, but for its first import. Ends with 1 if an example failed, or its losses were
another's.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FIRST = 50  # losses to compare
# How far losses may be apart, in parts of the larger of PyTorch's and 1. Rounding grows from step to step.
TOLERANCE = 1e-3

# The name of an example, and what to look for in what it prints. Those without losses must print the same.
Example = namedtuple("Example", "name result has_losses", defaults=[True])
# What one library made of it: the result, the seconds it took, and the first losses or all that was printed.
Run = namedtuple("Run", "result seconds first")

EXAMPLES = [
    Example("actor_critic", r"mean return of the last 20 episodes: ([\d.]+)"),
    Example("least_squares", r"pseudoinverse +(\S+ +\S+)", False),
    Example("stop_gradient", r"by stopped values +(\S+ +\S+)", False),
    Example("graph", r"\d+ functions, \d+ leaves", False),
    Example("transfer", r"[\d.]+% right with frozen features, [\d.]+% from scratch"),
    Example("gan", r"\d of 8 clouds are found; \d+% of the points are in one"),
    Example("char_rnn", r"[\d.]+% of the letters are known"),
    Example("reinforce", r"mean return of 20 greedy episodes: (\S+)"),
    Example("a2c", r"mean return of 20 greedy episodes: (\S+)"),
    Example("ppo", r"mean return of 20 greedy episodes: (\S+)"),
    Example("dqn", r"mean return of 20 greedy episodes: (\S+)"),
    Example("td3", r"mean return of 20 greedy episodes: (\S+)"),
    Example("sac", r"mean return of 20 greedy episodes: (\S+)"),
    Example("mnist_cnn", r"[\d.]+% of unseen digits are read right"),
    Example("vae", r"bound on unseen digits: (\S+ nats)"),
    Example("gpt", r"[\d.]+% of unseen sums are right"),
    Example("diffusion", r"distance from the spiral: (.+)"),
    Example("maml", r"mean loss of the last \d+ steps (\S+)"),
    Example("per_sample_gradients", r"right (\S+)"),
    Example("ensemble", r"spread at the points .+"),
    Example("pinn", r"error .+"),
    Example("ddp", r".+ of new digits are known"),
]
# they need the extra `ray`, and several processes
LEFT_OUT = ("ray_rollouts", "ray_sweep")

PAGE = """\
# The examples, at full length

Written by `make examples`, which runs every example with its default options, one after the other, on Rushlight, then
as the same file under PyTorch 2.13, where only the first import differs. Seconds are those of the whole program, with
imports, pictures and evaluation. The last column is the largest difference of the first {first} losses from the same
seed, relative to PyTorch's where that is above 1; what trains nothing has to print the same text. Rounding makes each
run its own after some hundred updates, and agents stop when they have solved their task: the results of the two
libraries, and with them the times, need not agree.

| | Rushlight | seconds | PyTorch | seconds | losses apart |
| --- | --- | ---: | --- | ---: | ---: |
{rows}

`ray_rollouts.py` and `ray_sweep.py` need the extra `ray` and are not among these.
"""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", default=sys.executable, metavar="PYTHON", help="that has Rushlight")
    parser.add_argument("--torch", metavar="PYTHON", help="that has PyTorch; without it, Rushlight runs alone")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="of the examples, without .py")
    parser.add_argument("--report", metavar="FOLDER", help="where examples.md goes")
    return parser.parse_args()


def run(example, python, library):
    """An example at full length and then for its first losses; None if it failed."""
    source = (ROOT / "examples" / f"{example.name}.py").read_text(encoding="utf-8")
    if library == "torch":
        source = source.replace("import rushlight as torch", "import torch", 1)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{example.name}.py")
        file.write_text(source, encoding="utf-8")
        start = time.perf_counter()
        printed = call(python, file, *(["--no-progress"] if "--no-progress" in source else []))
        seconds = time.perf_counter() - start
        if not example.has_losses:
            first = printed
        else:
            first = printed and call(python, file, "--losses", str(FIRST))
    return None if first is None else Run(find_result(example, printed), seconds, first.splitlines())


def call(python, file, *words):
    """What a program printed; None if it failed, and then why goes to standard error."""
    ran = subprocess.run([python, file, *words], cwd=file.parent, capture_output=True, text=True)
    if ran.returncode:
        print(f"{file.name} {' '.join(words)}: {(ran.stderr or ran.stdout).strip()[-2000:]}", file=sys.stderr)
        return None
    return ran.stdout


def find_result(example, printed):
    """The words of the result, out of the last line that has them."""
    *_, found = re.finditer(example.result, printed)
    return " ".join(found[found.re.groups and 1].split())


def difference(example, ours, theirs):
    """How far the losses are apart; of what has no losses, 0 if it printed the same, else infinity."""
    if not example.has_losses:
        return 0.0 if ours.first == theirs.first else float("inf")
    pairs = zip(map(float, ours.first), map(float, theirs.first), strict=True)
    return max(abs(one - other) / max(1.0, abs(other)) for one, other in pairs)


def describe_difference(example, apart):
    if not example.has_losses:
        return "the same text" if apart == 0 else "**another text**"
    return f"{apart:.0e}" if apart <= TOLERANCE else f"**{apart:.0e}**"


def row(example, ours, theirs):
    """A line of the table."""
    link = f"[`{example.name}.py`](../examples/{example.name}.py)"
    cells = [link, *(["**failed**", ""] if ours is None else [ours.result, f"{ours.seconds:.1f}"])]
    if theirs is not None and ours is not None:
        cells += [
            theirs.result,
            f"{theirs.seconds:.1f}",
            describe_difference(example, difference(example, ours, theirs)),
        ]
    else:
        cells += ["", "", ""]
    return f"| {' | '.join(cells)} |"


def page(rows):
    """The text of docs/examples.md."""
    return PAGE.format(first=FIRST, rows="\n".join(rows))


def main():
    arguments = parse_arguments()
    chosen = [each for each in EXAMPLES if not arguments.only or each.name in arguments.only]
    rows, good = [], True
    for example in chosen:
        ours = run(example, arguments.ours, "rushlight")
        theirs = run(example, arguments.torch, "torch") if arguments.torch else None
        good = good and ours is not None and (theirs is not None or not arguments.torch)
        if ours is not None and theirs is not None:
            good = good and difference(example, ours, theirs) <= TOLERANCE
        rows.append(row(example, ours, theirs))
        print(rows[-1], flush=True)
    if arguments.report:
        Path(arguments.report, "examples.md").write_text(page(rows), encoding="utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
