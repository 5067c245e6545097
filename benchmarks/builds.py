"""Two builds of Rushlight against each other: the same small calls in both, in turns, the best round of each.

    python -m benchmarks.builds BEFORE [AFTER] [--calls add sum ...] [--sizes 4 1000] [--rounds 40] [--most 1.03]

BEFORE and AFTER are folders with the package `rushlight` and its compiled extension; AFTER is this tree if left out.
On a machine with neighbours a single ratio means little: calls that look slow are measured again before they count.
Ends with 1 if a call is still more than --most times as slow in AFTER.
"""

import argparse
import math
import sys
from pathlib import Path

from benchmarks.calls import CALLS, SIZES
from benchmarks.libraries import ROOT
from benchmarks.runner import Runner
from benchmarks.workloads import OPS, WORKLOADS

# What the kernels of `native/ops` do in small programs; the rest of CALLS by name.
USUAL = (
    "view cat mean sum unsqueeze squeeze softmax relu clone stack max clamp min reshape contiguous transpose mse_loss "
    "expand log_softmax permute t std gather argmax matmul where cross_entropy flatten norm linear mul bmm scatter_ "
    "one_hot all mm chunk nll_loss topk dot tril split sort var equal add nonzero scatter diag logsumexp cumsum "
    "smooth_l1_loss prod triu binary_cross_entropy_with_logits unique unbind flip unfold to float"
).split()
PROGRAMS = ("mul_sum_backward", "mlp_forward", "mlp_1_64", "mlp_64_64", "actor_critic", "lenet", "lstm", "gpt")
AGAIN = 3


def parse_arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path, nargs="?", default=ROOT)
    parser.add_argument("--calls", nargs="*", default=USUAL, choices=list(CALLS), metavar="call")
    parser.add_argument("--programs", nargs="*", default=[], choices=list(WORKLOADS), metavar="program")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES[:2]), choices=SIZES)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--turn", type=float, default=0.001, help="seconds of one build's turn within a round")
    parser.add_argument("--most", type=float, default=1.03)
    return parser.parse_args(words)


def best_of(runners, name, rounds, turn):
    """Microseconds of a step in each build."""
    steps = []
    for runner in runners:
        runner.prepare(name)
        runner.run(2)
        seconds, _ = runner.run(20)
        steps.append(max(1, round(turn / (seconds / 20))))
    best = [math.inf] * len(runners)
    for number in range(rounds):
        # whoever begins has the advantage of a rested processor: each in turn
        for which in (0, 1) if number % 2 else (1, 0):
            seconds, _ = runners[which].run(steps[which])
            best[which] = min(best[which], seconds / steps[which] * 1e6)
    return best


def main(words=None):
    arguments = parse_arguments(words)
    runners = [
        Runner("rushlight", sys.executable, variables={"PYTHONPATH": str(tree.resolve())})
        for tree in (arguments.before, arguments.after)
    ]
    names = [
        name for name in OPS if name.split("/")[0] in arguments.calls and int(name.split("/")[1]) in arguments.sizes
    ]
    slow, ratios = [], []
    for name in [*names, *arguments.programs]:
        best = best_of(runners, name, arguments.rounds, arguments.turn)
        for _ in range(AGAIN):
            if best[1] / best[0] <= arguments.most:
                break
            best = [
                min(pair) for pair in zip(best, best_of(runners, name, arguments.rounds, arguments.turn), strict=True)
            ]
        ratio = best[1] / best[0]
        ratios.append(ratio)
        slow += [name] if ratio > arguments.most else []
        print(
            f"{name:<50} {best[0]:>10.3f} {best[1]:>10.3f} {ratio:>6.3f}{' *' if ratio > arguments.most else ''}",
            flush=True,
        )
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{len(ratios)} calls, geometric mean {mean:.3f}, more than {arguments.most}: {', '.join(slow) or 'none'}")
    for runner in runners:
        runner.close()
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
