"""The same programs in several processes, under PyTorch's gloo and Rushlight's MPI: results and errors are compared.

    python -m conformance.distributed --torch .venv-torch/bin/python --ours .venv/bin/python --processes 2 3 4

The programs are those of tests/distributed/programs, which know what has to come; here the libraries' numbers meet.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent.parent / "tests" / "distributed" / "programs"
COMPARED = {"collectives.py": 1e-6, "training.py": 1e-3}
# PyTorch names its library in these words
SAME_WORDS = 25


def under_torch(python, program, count, results, port):
    """Start the processes as torchrun would, each with its rank in the environment."""
    variables = {
        **os.environ,
        "WORLD_SIZE": str(count),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "GLOO_SOCKET_IFNAME": "lo",
        "OMP_NUM_THREADS": "1",
        "RESULTS": results,
    }
    command = [python, "-W", "ignore", str(program)]
    started = [
        subprocess.Popen(command, env={**variables, "RANK": str(rank), "LOCAL_RANK": str(rank)})
        for rank in range(count)
    ]
    return max(abs(each.wait(300)) for each in started)


def under_rushlight(python, program, count, results):
    command = [python, "-m", "rushlight.distributed.run", "--nproc_per_node", str(count), str(program)]
    return subprocess.run(command, env={**os.environ, "RESULTS": results}, timeout=300).returncode


def close(one, two, tolerance):
    return len(one) == len(two) and all(
        math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance) for a, b in zip(one, two, strict=True)
    )


def differences(torch, ours, tolerance):
    """The names of what differs: numbers, and errors by type and first words."""
    for name, values in torch.items():
        if name != "errors" and (name not in ours or not close(values, ours[name], tolerance)):
            yield name
    for name, said in torch.get("errors", {}).items():
        found = ours["errors"][name]
        words = [each[1].replace("Gloo", "MPI")[:SAME_WORDS] for each in (said, found)]
        if said[0] != found[0] or words[0] != words[1]:
            yield f"{name}: {said} and {found}"


def compare(program, count, arguments, port):
    """How many results agree and what differs, over all processes."""
    with tempfile.TemporaryDirectory() as folder:
        places = {each: os.path.join(folder, each) for each in ("torch", "ours")}
        if under_torch(arguments.torch, PROGRAMS / program, count, places["torch"], port):
            return 0, ["PyTorch failed"]
        if under_rushlight(arguments.ours, PROGRAMS / program, count, places["ours"]):
            return 0, ["Rushlight failed"]
        compared, differ = 0, []
        for rank in range(count):
            torch, ours = (json.loads(Path(f"{place}.{rank}").read_text()) for place in places.values())
            compared += len(torch) + len(torch.get("errors", {}))
            differ += [f"rank {rank}: {each}" for each in differences(torch, ours, COMPARED[program])]
        return compared, differ


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", default=sys.executable, help="a Python that has PyTorch")
    parser.add_argument("--ours", default=sys.executable, help="a Python that has Rushlight and mpi4py")
    parser.add_argument("--processes", type=int, nargs="+", default=[2, 3, 4])
    arguments = parser.parse_args()
    failed = False
    for number, (program, count) in enumerate((each, n) for each in COMPARED for n in arguments.processes):
        compared, differ = compare(program, count, arguments, 29600 + number)
        failed |= bool(differ)
        print(
            f"{program} with {count} processes: {compared} results compared, {len(differ)} differ", *differ, sep="\n  "
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
