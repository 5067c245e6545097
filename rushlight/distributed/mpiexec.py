"""mpiexec: which one there is, of which MPI, and the command line that starts a job with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import NamedTuple

from rushlight.distributed.mpi import INSTALL

# what is said of the rank of a process by its own mpiexec, so that it need not be passed on
OPEN_MPI, MPICH, OTHER = "Open MPI", "MPICH", "another MPI"


def find(given: str | None = None) -> str:
    """The mpiexec that was named, or the one of this environment, or the one in PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    named = given or os.environ.get("RUSHLIGHT_MPIEXEC")
    found = shutil.which(named) if named else beside if os.access(beside, os.X_OK) else shutil.which("mpiexec")
    if found is None:
        raise RuntimeError(f"there is no {named or 'mpiexec'}: {INSTALL}")
    return found


def flavour(program: str) -> str:
    """Whose mpiexec it is: their options differ."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.lower()
    if "open mpi" in said or "prte" in said or "open-mpi" in said:
        return OPEN_MPI
    return MPICH if "hydra" in said or "mpich" in said or "intel" in said else OTHER


class Plan(NamedTuple):
    """How a job is started."""

    program: str
    processes: int
    per_node: int
    nodes: int
    hostfile: str | None

    def command(self, words: list[str], environment: dict[str, str]) -> list[str]:
        """The whole command line; what the MPI wants to find in the environment is put there."""
        kind = flavour(self.program)
        options = ["-n", str(self.processes)]
        if self.nodes > 1 and self.hostfile is None and "SLURM_JOB_ID" not in environment:
            raise ValueError(f"--nnodes {self.nodes} needs --hostfile with the names of the machines, one a line")
        if kind == OPEN_MPI:
            # more processes than cores are what was asked for, and containers run as root
            options += ["--map-by", f"ppr:{self.per_node}:node:OVERSUBSCRIBE", "--bind-to", "none"]
            environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
            environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        elif kind == MPICH:
            # whoever started the job tells who ended first: the others must still be there then
            options += ["-ppn", str(self.per_node), "-disable-auto-cleanup"]
        if self.hostfile is not None:
            options += ["--hostfile" if kind == OPEN_MPI else "-f", self.hostfile]
        return [self.program, *options, *words]
