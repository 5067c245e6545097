"""`python -m rushlight.distributed.run`: start a program in several processes, with torchrun's options, by mpiexec.

    python -m rushlight.distributed.run --nproc_per_node 4 train.py --epochs 10

The program may say `import torch`. When a process fails, all are ended, and it is said which one it was and why.
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from rushlight.distributed import mpiexec
from rushlight.distributed.environment import JOB_FOLDER
from rushlight.distributed.job import Job

__all__ = ["config_from_args", "get_args_parser", "main", "parse_args", "run"]

# torchrun's options that MPI has no use for: they may be there, and are told of once
UNUSED = (
    "rdzv_backend",
    "rdzv_endpoint",
    "rdzv_conf",
    "rdzv_id",
    "local_addr",
    "monitor_interval",
    "start_method",
    "role",
)


def get_args_parser() -> argparse.ArgumentParser:
    """The options, which are torchrun's; words may be joined by `-` or `_`."""
    parser = argparse.ArgumentParser(
        prog="python -m rushlight.distributed.run", description=(__doc__ or "").split("\n")[0]
    )

    def add(name: str, *short: str, **options: Any) -> None:
        parser.add_argument(*short, *dict.fromkeys((f"--{name.replace('_', '-')}", f"--{name}")), dest=name, **options)

    add("nnodes", default="1", help="how many machines; those of --hostfile, or of a SLURM allocation")
    add("nproc_per_node", default="1", help="processes on each machine: a number, or cpu or auto for its cores")
    add("node_rank", type=int, default=0, help="the number of this machine: the first one starts all others")
    add("master_addr", default="127.0.0.1", help="put into MASTER_ADDR; MPI needs no address")
    add("master_port", type=int, default=29500, help="put into MASTER_PORT")
    add("standalone", action="store_true", help="one machine, which is what happens unless --nnodes says more")
    add("hostfile", help="a file with the names of the machines, as mpiexec reads it")
    add("max_restarts", type=int, default=0, help="how often a job that failed is started again")
    add("log_dir", help="write the output of each process into files below this folder too")
    add("redirects", "-r", default="0", help="0, 1 (stdout), 2 (stderr) or 3: into files of --log_dir only")
    add("tee", "-t", default="0", help="0, 1, 2 or 3: show the lines of these streams with the rank in front")
    add("mpiexec", help="the mpiexec to use; else the one beside Python, then the one in PATH")
    for name in UNUSED:
        add(name, help=argparse.SUPPRESS)
    parser.add_argument("-m", "--module", action="store_true", help="the program is a module, as in python -m")
    add("no_python", action="store_true", help="the program is not written in Python: run it as it is")
    add("run_path", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("training_script", help="the program")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def parse_args(args: Sequence[str] | None) -> argparse.Namespace:
    """The options of a command line."""
    return get_args_parser().parse_args(args)


def config_from_args(args: argparse.Namespace) -> tuple[mpiexec.Plan, list[str], list[str]]:
    """How processes are started, the command of each, and its arguments."""
    if args.max_restarts < 0:
        raise ValueError(f"max_restarts has to be 0 or more, but got {args.max_restarts}")
    nodes = int(str(args.nnodes).rpartition(":")[2])
    plan = mpiexec.Plan(
        program=mpiexec.find(args.mpiexec),
        processes=nodes * per_node(args.nproc_per_node),
        per_node=per_node(args.nproc_per_node),
        nodes=nodes,
        hostfile=args.hostfile,
    )
    return plan, *command(args)


def per_node(word: str) -> int:
    """How many processes each machine gets."""
    if word in ("auto", "cpu"):
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity is not None else os.cpu_count() or 1
    if not word.isdecimal() or not int(word):
        raise ValueError(f"Unsupported nproc_per_node value: {word}; it is a number, cpu or auto")
    return int(word)


def command(args: argparse.Namespace) -> tuple[list[str], list[str]]:
    """What each process runs, and with which arguments."""
    program = [args.training_script, *args.training_script_args]
    streams = ["--tee", args.tee, "--redirects", args.redirects]
    if args.no_python:
        return [args.training_script], args.training_script_args
    kind = ["-m"] if args.module else []
    return [sys.executable, "-u", "-m", "rushlight.distributed.process", *streams, *kind], program


def run(args: argparse.Namespace) -> int:
    """Start the job, and again when it fails as often as was allowed; returns its exit code."""
    if args.node_rank > 0:
        print(f"node {args.node_rank}: the first node starts the processes of all by mpiexec; nothing to do here")
        return 0
    plan, process, arguments = config_from_args(args)
    run_id = args.rdzv_id or secrets.token_hex(4)
    for attempt in range(args.max_restarts + 1):
        code = run_once(args, plan, [*process, *arguments], run_id, attempt)
        if code == 0 or code == 128 + signal.SIGINT:
            return code
        if attempt < args.max_restarts:
            print(
                f"starting all {plan.processes} processes again ({attempt + 1} of {args.max_restarts})", file=sys.stderr
            )
    return code


def run_once(args: argparse.Namespace, plan: mpiexec.Plan, words: list[str], run_id: str, attempt: int) -> int:
    with tempfile.TemporaryDirectory(prefix="rushlight-job-") as folder:
        environment = {
            **os.environ,
            JOB_FOLDER: folder,
            "MASTER_ADDR": args.master_addr,
            "MASTER_PORT": str(args.master_port),
            "TORCHELASTIC_RUN_ID": run_id,
            "TORCHELASTIC_RESTART_COUNT": str(attempt),
            "TORCHELASTIC_MAX_RESTARTS": str(args.max_restarts),
        }
        if args.log_dir:
            environment["RUSHLIGHT_LOG_DIR"] = os.path.join(args.log_dir, run_id, f"attempt_{attempt}")
        if plan.processes > 1:
            environment.setdefault("OMP_NUM_THREADS", "1")
        for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"):
            environment.pop(name, None)
        started = subprocess.Popen(plan.command(words, environment), env=environment, start_new_session=True)
        return Job(started, folder, plan.processes).wait()


def main(args: Sequence[str] | None = None) -> None:
    """What `python -m rushlight.distributed.run` does."""
    options = parse_args(args)
    try:
        code = run(options)
    except (ValueError, RuntimeError) as error:
        print(f"python -m rushlight.distributed.run: {error}", file=sys.stderr)
        sys.exit(2)
    sys.exit(code)


if __name__ == "__main__":
    main()
