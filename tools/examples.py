"""Runs the examples at full length, beside the same files under PyTorch, and writes docs/examples.md.

    python tools/examples.py --ours .venv/bin/python --torch .venv-torch/bin/python --report docs
    python tools/examples.py --ours .venv/bin/python --only gan ppo        print their rows, write nothing

Under PyTorch a file runs as it is, but for its first import. Ends with 1 if an example failed, its losses were
another's, or an agent did not reach the level at which its task counts as solved.
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

# Seconds after which an example counts as failed.
LONGEST = 1800
# The mean returns at which the tasks of the agents count as solved.
CARTPOLE, PENDULUM = 475, -200

# The name of an example, what to look for in what it prints, and the least that this must be. Those without losses must
# print the same.
Example = namedtuple("Example", "name result has_losses least", defaults=[True, None])
# What one library made of it: the result, the seconds it took, and the first losses or all that was printed.
Run = namedtuple("Run", "result seconds first")

GREEDY = r"mean return of 20 greedy episodes: (-?[\d.]+)"
EXAMPLES = [
    Example("actor_critic", r"mean return of the last 20 episodes: ([\d.]+)", least=CARTPOLE),
    Example("least_squares", r"pseudoinverse +(\S+ +\S+)", False),
    Example("stop_gradient", r"by stopped values +(\S+ +\S+)", False),
    Example("graph", r"\d+ functions, \d+ leaves", False),
    Example("transfer", r"[\d.]+% right with frozen features, [\d.]+% from scratch"),
    Example("gan", r"\d of 8 clouds are found; \d+% of the points are in one"),
    Example("char_rnn", r"[\d.]+% of the letters are known"),
    Example("reinforce", GREEDY, least=CARTPOLE),
    Example("a2c", GREEDY, least=CARTPOLE),
    Example("ppo", GREEDY, least=CARTPOLE),
    Example("dqn", GREEDY, least=CARTPOLE),
    Example("td3", GREEDY, least=PENDULUM),
    Example("sac", GREEDY, least=PENDULUM),
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
# The examples

Each is one file that reads from top to bottom, and runs under PyTorch with the same losses if `import torch` is its first
import. In a clone `pip install '.[examples]'` brings what they need, `--help` lists the options; those that train take `--seed` and
`--steps`, save a picture, and write logs for TensorBoard with `--logs FOLDER`.

| | |
| --- | --- |
| [least_squares](../examples/least_squares.py) | a line through points by hand, with autograd and with four optimizers |
| [graph](../examples/graph.py) | the graph that autograd keeps: leaves, functions and what they saved, drawn |
| [stop_gradient](../examples/stop_gradient.py) | what `detach` does to a gradient, beside the formulas |
| [transfer](../examples/transfer.py) | frozen layers and buffers: what one task teaches about another |
| [gan](../examples/gan.py) | two networks that learn from each other, and where they must not |
| [char_rnn](../examples/char_rnn.py) | sonnets learned by heart, by truncated backpropagation through time |
| [reinforce](../examples/reinforce.py), [a2c](../examples/a2c.py), [ppo](../examples/ppo.py), [dqn](../examples/dqn.py) | agents that balance CartPole |
| [td3](../examples/td3.py), [sac](../examples/sac.py) | agents that swing a pendulum up; why the inverse of a saturated action is to be remembered |
| [mnist_cnn](../examples/mnist_cnn.py), [vae](../examples/vae.py) | handwritten digits, read and painted |
| [gpt](../examples/gpt.py) | a small transformer that learns to add |
| [diffusion](../examples/diffusion.py) | noise that turns into a spiral, as a film |
| [maml](../examples/maml.py), [per_sample_gradients](../examples/per_sample_gradients.py), [ensemble](../examples/ensemble.py), [pinn](../examples/pinn.py) | `torch.func`: learning to learn, private gradients, sixteen networks at once, the heat equation |
| [ddp](../examples/ddp.py) | several processes on one model ([Several processes](scaling.md)) |
| [ray_rollouts](../examples/ray_rollouts.py), [ray_sweep](../examples/ray_sweep.py) | actors and sweeps on Ray (`pip install '.[ray]'`) |

## At full length
Written by `make examples`, which runs every example with its default options, one after the other, on Rushlight, then
as the same file under PyTorch 2.13, where only the first import differs. Seconds are those of the whole program, with
imports, pictures and evaluation. The last column is the largest difference of the first {first} losses from the same
seed, relative to PyTorch's where that is above 1; what trains nothing has to print the same text. Rounding makes each
run its own after some hundred updates, and agents stop when they have solved their task: the results of the two
libraries, and with them the times, need not agree. CartPole counts as solved at a mean return of {cartpole}, Pendulum
above {pendulum}. An agent on Rushlight that stays below, and losses more than {tolerance:g} apart, stand in bold, and the
command fails.

{rows}

`ray_rollouts.py` and `ray_sweep.py` need the extra `ray` and are not among these.
"""
HEAD = """\
| | Rushlight | seconds | PyTorch | seconds | losses apart |
| --- | --- | ---: | --- | ---: | ---: |"""


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
        words = ["--no-progress"] if "--no-progress" in source else []
        # an agent that did not solve its task ends with 1; its return is a result all the same
        printed = call(python, file, *words, good=(0,) if example.least is None else (0, 1))
        seconds = time.perf_counter() - start
        if not example.has_losses:
            first = printed
        else:
            first = printed and call(python, file, "--losses", str(FIRST))
    result = first and find_result(example, printed)
    if first is not None and result is None:
        print(f"{example.name}: no result in {printed[-500:]!r}", file=sys.stderr)
    return Run(result, seconds, first.splitlines()) if result else None


def call(python, file, *words, good=(0,)):
    """What a program printed; None if it failed, and then why goes to standard error."""
    try:
        ran = subprocess.run([python, file, *words], cwd=file.parent, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        print(f"{file.name} {' '.join(words)}: no end after {LONGEST} s", file=sys.stderr)
        return None
    if ran.returncode not in good:
        print(f"{file.name} {' '.join(words)}: {(ran.stderr or ran.stdout).strip()[-2000:]}", file=sys.stderr)
        return None
    return ran.stdout


def find_result(example, printed):
    """The words of the result, out of the last line that has them; None if none has."""
    *_, found = None, *re.finditer(example.result, printed)
    return found and " ".join(found[found.re.groups and 1].split())


def difference(example, ours, theirs):
    """How far the losses are apart; of what has no losses, 0 if it printed the same, else infinity."""
    if not example.has_losses:
        return 0.0 if ours.first == theirs.first else float("inf")
    if len(ours.first) != len(theirs.first):
        return float("inf")
    pairs = zip(map(float, ours.first), map(float, theirs.first), strict=True)
    return max(abs(one - other) / max(1.0, abs(other)) for one, other in pairs)


def reaches_level(example, ours):
    """Whether an agent solved its task; what has no level always does."""
    return example.least is None or float(ours.result) >= example.least


def describe_difference(example, apart):
    if not example.has_losses:
        return "the same text" if apart == 0 else "**another text**"
    return f"{apart:.0e}" if apart <= TOLERANCE else f"**{apart:.0e}**"


def row(example, ours, theirs):
    """A line of the table."""
    link = f"[`{example.name}.py`](../examples/{example.name}.py)"
    if ours is None:
        cells = [link, "**failed**", ""]
    else:
        cells = [link, ours.result if reaches_level(example, ours) else f"**{ours.result}**", f"{ours.seconds:.1f}"]
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
    return PAGE.format(
        first=FIRST, cartpole=CARTPOLE, pendulum=PENDULUM, tolerance=TOLERANCE, rows="\n".join([HEAD, *rows])
    )


def main():
    arguments = parse_arguments()
    unknown = set(arguments.only or ()) - {each.name for each in EXAMPLES}
    if unknown:
        sys.exit(f"no such example: {', '.join(sorted(unknown))}")
    chosen = [each for each in EXAMPLES if not arguments.only or each.name in arguments.only]
    rows, good = [], True
    for example in chosen:
        ours = run(example, arguments.ours, "rushlight")
        theirs = run(example, arguments.torch, "torch") if arguments.torch else None
        good = good and ours is not None and (theirs is not None or not arguments.torch)
        good = good and reaches_level(example, ours)
        if ours is not None and theirs is not None:
            good = good and difference(example, ours, theirs) <= TOLERANCE
        rows.append(row(example, ours, theirs))
        print(rows[-1], flush=True)
    if arguments.report:
        Path(arguments.report, "examples.md").write_text(page(rows), encoding="utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
