"""A sweep: the same small network trained from several seeds at several learning rates, as tasks of Ray.

The points of two spirals are put into Ray's object store once; every task reads them there without a copy, trains, and
sends back how many new points it gets right. Tasks run on as many cores, or machines, as Ray has.

    python examples/ray_sweep.py                     on this machine
    python examples/ray_sweep.py --address auto      on the cluster that `ray start` has made

The program is plain PyTorch: `import torch` as its first import does as well.
"""

import rushlight as torch  # isort: skip

import argparse
import math

import ray
from tqdm import tqdm

nn = torch.nn


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="how many beginnings")
    parser.add_argument("--rates", type=float, nargs="+", default=[1e-4, 1e-3, 1e-2, 1e-1], help="learning rates")
    parser.add_argument("--steps", type=int, default=400, help="of the optimizer, in each task")
    parser.add_argument("--points", type=int, default=500, help="to learn from, and as many to be judged by")
    parser.add_argument("--address", help="of a cluster, or auto; one machine without it")
    parser.add_argument("--plot", default="ray_sweep.png", metavar="FILE", help="where the picture goes")
    parser.add_argument("--no-progress", action="store_true", help="no progress bar")
    return parser.parse_args()


def make_spirals(count, generator):
    """Points (count, 2) on two spirals that are wound into each other, and which of them each is on."""
    labels = torch.randint(0, 2, (count,), generator=generator)
    turn = torch.rand(count, generator=generator).sqrt() * 3 * math.pi
    angle = turn + labels * math.pi
    points = torch.stack([turn * torch.cos(angle), turn * torch.sin(angle)], 1) / (3 * math.pi)
    return points + 0.02 * torch.randn(count, 2, generator=generator), labels


@ray.remote(num_cpus=1)
def train(seed, rate, learned, judged, steps):
    """The share of new points that are right after training."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    network = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(network.parameters(), lr=rate)
    points, labels = learned
    for _ in range(steps):
        loss = nn.functional.cross_entropy(network(points), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        return (network(judged[0]).argmax(1) == judged[1]).float().mean().item()


def sweep(arguments):
    """The results by rate and seed, taken as they come."""
    generator = torch.Generator()
    generator.manual_seed(0)
    learned = ray.put(make_spirals(arguments.points, generator))
    judged = ray.put(make_spirals(arguments.points, generator))
    tasks = {
        train.remote(seed, rate, learned, judged, arguments.steps): (rate, seed)
        for rate in arguments.rates
        for seed in range(arguments.seeds)
    }
    results = {}
    waiting = list(tasks)
    with tqdm(total=len(tasks), unit="task", disable=arguments.no_progress) as bar:
        while waiting:
            (done, *_), waiting = ray.wait(waiting)
            results[tasks[done]] = ray.get(done)
            bar.update()
    return results


def draw(results, arguments):
    """A picture of every task, and of the mean at each rate."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.scatter([rate for rate, _ in results], list(results.values()), alpha=0.5)
    axes.plot(arguments.rates, [mean(results, rate) for rate in arguments.rates])
    axes.set_xscale("log")
    axes.set_xlabel("learning rate")
    axes.set_ylabel("new points that are right")
    figure.tight_layout()
    figure.savefig(arguments.plot, dpi=120)


def mean(results, rate):
    found = [share for (each, _), share in results.items() if each == rate]
    return sum(found) / len(found)


def main():
    arguments = parse_arguments()
    ray.init(address=arguments.address, include_dashboard=False, logging_level="ERROR")
    results = sweep(arguments)
    for rate in arguments.rates:
        print(f"rate {rate:g}: {mean(results, rate):.1%} right over {arguments.seeds} seeds")
    draw(results, arguments)
    ray.shutdown()


if __name__ == "__main__":
    main()
