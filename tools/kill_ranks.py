"""Kills processes of examples/ddp.py at random moments, and looks at what is left of the job.

    python tools/kill_ranks.py --count 50 --processes 3

Each time the job has to end in ten seconds with a code that is not 0, no process of it may be left, the last checkpoint
has to load, and a second start has to go on from it with the losses of a job that nobody disturbed.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import rushlight

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "ddp.py"
LIMIT = 10.0
LINE = re.compile(r"^ *(\d+) (\d+\.\d+)$", re.MULTILINE)


def command(checkpoint, arguments):
    start = [sys.executable, "-m", "rushlight.distributed.run", "--nproc_per_node", str(arguments.processes)]
    options = ["--no-progress", "--print-every", "1", "--save-every", "3", "--steps", str(arguments.steps)]
    return [*start, str(EXAMPLE), *options, "--checkpoint", str(checkpoint)]


def losses(output):
    return {int(step): float(loss) for step, loss in LINE.findall(output)}


def processes_of(checkpoint):
    """The processes of a job that train, known by the name of their checkpoint."""
    found = []
    for each in filter(str.isdecimal, os.listdir("/proc")):
        try:
            with open(f"/proc/{each}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        # mpiexec and its helpers have the whole command line too
        is_python = os.path.basename(words[0]).startswith(b"python")
        if is_python and os.fsencode(checkpoint) in words and b"rushlight.distributed.process" in words:
            found.append(int(each))
    return found


def kill_once(checkpoint, arguments, chance, undisturbed):
    """Start a job, kill one of its processes; returns what was wrong with what followed."""
    job = subprocess.Popen(command(checkpoint, arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while len(processes_of(checkpoint)) < arguments.processes and time.monotonic() < deadline and job.poll() is None:
        time.sleep(0.01)
    time.sleep(chance.uniform(0, arguments.longest))
    victims = processes_of(checkpoint)
    if not victims or job.poll() is not None:
        job.communicate()
        return None
    killed = time.monotonic()
    os.kill(chance.choice(victims), signal.SIGKILL)
    try:
        output, errors = job.communicate(timeout=4 * LIMIT)
    except subprocess.TimeoutExpired:
        job.kill()
        return ["the job hangs"]
    took = time.monotonic() - killed
    wrong = []
    if took > LIMIT:
        wrong.append(f"the job took {took:.1f} s to end")
    if job.returncode == 0:
        wrong.append("the job ended with 0")
    if "rank " not in errors:
        wrong.append(f"nobody said which rank it was: {errors[-300:]}")
    if left := processes_of(checkpoint):
        wrong.append(f"processes are left: {left}")
    return wrong + second_start(checkpoint, arguments, undisturbed, losses(output))


def second_start(checkpoint, arguments, undisturbed, before):
    """What is wrong with the job that goes on from the checkpoint."""
    first = rushlight.load(checkpoint)["step"] + 1 if checkpoint.exists() else 0
    again = subprocess.run(command(checkpoint, arguments), capture_output=True, text=True, timeout=120)
    after = losses(again.stdout)
    wrong = []
    if again.returncode != 0:
        wrong.append(f"the second start failed: {again.stderr[-500:]}")
    if min(after, default=arguments.steps) != first:
        wrong.append(f"it went on with step {min(after, default=None)}, the checkpoint says {first}")
    differ = [step for step, loss in {**before, **after}.items() if abs(loss - undisturbed[step]) > 2e-5]
    if differ:
        wrong.append(f"losses differ from step {min(differ)} on")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--longest", type=float, default=2.5, help="seconds until a process is killed, at most")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    done = failed = early = 0
    with tempfile.TemporaryDirectory() as folder:
        start = command(Path(folder) / "undisturbed.pt", arguments)
        undisturbed = losses(subprocess.run(start, capture_output=True, text=True, check=True).stdout)
        while done < arguments.count:
            checkpoint = Path(folder) / f"{done}-{early}.pt"
            wrong = kill_once(checkpoint, arguments, chance, undisturbed)
            if wrong is None:
                early += 1
                continue
            done += 1
            failed += bool(wrong)
            for each in wrong:
                print(f"{done}: {each}")
    print(f"{done} processes killed, {failed} times something was wrong ({early} jobs had ended before)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
