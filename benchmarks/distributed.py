"""Several processes: what a collective costs beside bare MPI and gloo, and what data parallel training costs.

    python -m benchmarks.distributed --torch .venv-torch/bin/python
    python -m benchmarks.scaling distributed.json

Each measurement is a job of its own; what is compared takes turns in it, and the best of many counts.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = (4, 64, 1024, 16 * 1024, 256 * 1024, 4 * 1024**2, 100 * 1000**2)
NETWORKS = {"10^4": (100, 1), "10^6": (500, 4), "10^7": (1000, 10)}
ROOT = Path(__file__).resolve().parent.parent


def best_of(calls, barrier, rounds):
    """The least time of each call; they take turns, all processes at once."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, (call, repeat) in calls.items():
            barrier()
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            best[name] = min(best[name], (time.perf_counter() - start) / repeat)
    return best


def measure_collectives(torch, dist, MPI):
    """Microseconds of `all_reduce` for each size; beside bare mpi4py where there is one."""
    rows = {}
    for size in SIZES:
        repeat = max(1, min(200, 2_000_000 // size))
        tensor = torch.ones(size // 4)
        calls = {"all_reduce": (lambda tensor=tensor: dist.all_reduce(tensor), repeat)}
        if MPI is not None:
            import numpy as np

            own = np.ones(size // 4, np.float32)
            calls["bare"] = (lambda own=own: MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, own), repeat)
        best = best_of(calls, dist.barrier, 12 if size < 10**7 else 4)
        rows[size] = {name: 1e6 * value for name, value in best.items()}
    return rows


def measure_training(torch, dist, MPI):
    """Milliseconds for each network: a step alone, the messages alone, both together and how long they wait at the end.

    Of each round the time of the process that came last counts, which waits for messages and not for another process;
    of the rounds the median, and of a step alone, which the model takes for the computing, the best as well.
    """
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    rows = {}
    for name, (width, depth) in NETWORKS.items():
        layers = [layer for _ in range(depth) for layer in (nn.Linear(width, width), nn.ReLU())]
        model = DistributedDataParallel(nn.Sequential(*layers), gradient_as_bucket_view=True)
        x = torch.randn(64, width)
        parts = [torch.zeros_like(each) for each in model.parameters()]

        def step(model=model, x=x):
            model.zero_grad()
            model(x).sum().backward()

        def alone(model=model, step=step):
            with model.no_sync():
                step()

        def messages(parts=parts):
            for each in parts:
                dist.all_reduce(each)

        waits = []
        model.reducer.finish = timed(model.reducer.finish, waits)
        step()
        waits.clear()
        calls = {"backward": alone, "messages": messages, "both": step}
        times = take_turns(calls, dist.barrier)
        rows[name] = {"backward": 1e3 * min(times["backward"])}
        measured = {"alone": times["backward"], "messages": times["messages"], "both": times["both"], "waiting": waits}
        for key, taken in measured.items():
            least = torch.tensor(taken, dtype=torch.float64)
            dist.all_reduce(least, dist.ReduceOp.MIN)
            rows[name][key] = 1e3 * least.median().item()
        rows[name]["parameters"] = sum(each.numel() for each in model.parameters())
    return rows


def timed(function, times):
    """The function, which notes how long it takes."""

    def run():
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)

    return run


def take_turns(calls, barrier, rounds=25):
    """The times of each call; they take turns, all processes at once."""
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            barrier()
            timed(call, times[name])()
    return times


def loopback_bytes():
    for line in Path("/proc/net/dev").read_text().splitlines():
        if line.strip().startswith("lo:"):
            return int(line.split()[9])
    return 0


def measure_bytes(torch, dist, MPI):
    """Bytes that each process sends for a byte of the tensor, where all messages go over the network device."""
    tensor = torch.ones(2_000_000)
    dist.all_reduce(tensor)
    dist.barrier()
    before = loopback_bytes()
    dist.barrier()
    for _ in range(10):
        dist.all_reduce(tensor)
    dist.barrier()
    sent = loopback_bytes() - before
    return {"sent": sent / 10 / dist.get_world_size() / tensor.nbytes}


MEASUREMENTS = {"collectives": measure_collectives, "training": measure_training, "bytes": measure_bytes}


def inside(what, file):
    """Measure in a process of a job."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    if "rushlight" in sys.modules:
        dist.init_process_group()
        from mpi4py import MPI
    else:
        dist.init_process_group("gloo")
        MPI = None
    found = MEASUREMENTS[what](torch, dist, MPI)
    if dist.get_rank() == 0:
        Path(file).write_text(json.dumps(found))
    dist.barrier()
    dist.destroy_process_group()


def job(what, count, **variables):
    """What a job of our own has measured."""
    with tempfile.NamedTemporaryFile() as file:
        start = [sys.executable, "-m", "rushlight.distributed.run", "--nproc_per_node", str(count)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
        subprocess.run([*start, __file__, "--inside", what, file.name], check=True, env=environment, cwd=ROOT)
        return json.loads(Path(file.name).read_text())


def job_of_torch(python, what, count, port):
    """What a job of PyTorch's has measured."""
    with tempfile.NamedTemporaryFile() as file:
        shared = {"WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        shared |= {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
        command = [python, "-W", "ignore", __file__, "--inside", what, file.name]
        started = [
            subprocess.Popen(command, env={**os.environ, **shared, "RANK": str(rank)}, cwd="/") for rank in range(count)
        ]
        assert all(each.wait(600) == 0 for each in started)
        return json.loads(Path(file.name).read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inside", nargs=2, metavar=("WHAT", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--torch", type=os.path.abspath, help="a Python that has PyTorch, for gloo's numbers")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--output", type=Path, default=Path("distributed.json"), help="where the numbers go")
    arguments = parser.parse_args()
    if arguments.inside:
        inside(*arguments.inside)
        return
    found = {"collectives": {}, "gloo": {}, "training": {}, "bytes": {}}
    for count in arguments.processes:
        if count > 1:
            found["collectives"][count] = job("collectives", count)
            # without shared memory, so that the bytes can be counted
            found["bytes"][count] = job("bytes", count, MPIR_CVAR_NOLOCAL="1", UCX_TLS="tcp,self")
            if arguments.torch:
                found["gloo"][count] = job_of_torch(arguments.torch, "collectives", count, 29700 + count)
        found["training"][count] = job("training", count)
    arguments.output.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
