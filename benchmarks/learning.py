"""An agent that learns, under Rushlight and under PyTorch: its return over the processor's time.

    python -m benchmarks.learning --torch .venv-torch/bin/python --report docs

Both run examples/actor_critic.py with the same seeds on one thread, and draw learning.png. The time is that of the
process, imports included, so that what else the machine does counts for neither. The first losses are the same; then
rounding leads the two to other episodes, so that a seed may take one of them longer: steps a second are what compares.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "actor_critic.py"
IMPORT = "import rushlight as torch"
NAMES = {"rushlight": "Rushlight", "torch": "PyTorch 2.13"}
COLOURS = {"rushlight": "#a3262a", "torch": "#777777"}
# what the example reports after each update: seconds, steps played, and the mean return of the last 20 episodes
RECORD = """
import json, time
torch.set_num_threads(1)
sys.argv[1:] = ["--no-progress", "--seed", {seed!r}]
agent = Agent(parse_arguments())
curve = []
while not agent.finished():
    agent.learn(*agent.play())
    curve.append((time.process_time(), agent.steps, agent.recent_return()))
print(json.dumps(curve))
"""


def program(library: str, seed: int) -> str:
    """The example without its last lines, which run it, and with those that record."""
    source = EXAMPLE.read_text(encoding="utf-8")
    if library == "torch":
        source = source.replace(IMPORT, "import torch")
    return source.partition('if __name__ == "__main__":')[0] + RECORD.format(seed=str(seed))


def curve(python: str, library: str, seed: int) -> list[list[float]]:
    """(seconds, steps, return) after each update of a run."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    command = [python, "-c", program(library, seed)]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


def draw(curves: dict[str, list], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for library, runs in curves.items():
        for number, points in enumerate(runs):
            seconds, _, returns = zip(*points, strict=True)
            label = f"{NAMES[library]}: {rate(runs):,.0f} steps a second" if number == 0 else None
            axes.plot(seconds, returns, color=COLOURS[library], linewidth=1.5, alpha=0.8, label=label)
    axes.axhline(475, color="#999999", linewidth=1, linestyle=":", label="solved")
    axes.set(xlabel="seconds of the processor, one thread, import included", ylabel="mean return of 20 episodes")
    axes.set(ylim=(0, 510), title=f"examples/actor_critic.py learns CartPole: {len(runs)} seeds in each library")
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def rate(runs: list) -> float:
    """Steps a second over all runs of a library."""
    return sum(points[-1][1] for points in runs) / sum(points[-1][0] for points in runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", required=True, help="the Python of an environment with PyTorch")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--report", metavar="FOLDER", help="where learning.png goes")
    given = parser.parse_args()
    pythons = {"rushlight": sys.executable, "torch": given.torch}
    curves: dict[str, list] = {library: [] for library in pythons}
    for seed in given.seeds:
        for library, python in pythons.items():
            points = curve(python, library, seed)
            curves[library].append(points)
            seconds, steps, value = points[-1]
            print(
                f"seed {seed}, {NAMES[library]}: {steps} steps in {seconds:.2f} s, mean return {value:.1f}", flush=True
            )
    for library, runs in curves.items():
        print(f"{NAMES[library]}: {rate(runs):,.0f} steps a second")
    if given.report:
        draw(curves, Path(given.report) / "learning.png")


if __name__ == "__main__":
    main()
