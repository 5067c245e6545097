"""The environment: who this process is, as torchrun, mpiexec or SLURM have written it into variables."""

from __future__ import annotations

import os
from collections.abc import Mapping

# what each variable of torchrun is called by those who start processes; the first that is set counts
OTHER_NAMES = {
    "RANK": ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"),
    "WORLD_SIZE": ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"),
    "LOCAL_RANK": ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"),
    "LOCAL_WORLD_SIZE": ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"),
}
# set by run.py for all processes of a job
JOB_FOLDER = "RUSHLIGHT_DISTRIBUTED_JOB"


def number(name: str, environment: Mapping[str, str] = os.environ) -> int | None:
    """The number that a variable of torchrun has, under its own name or another starter's; None if there is none."""
    for each in (name, *OTHER_NAMES.get(name, ())):
        value = environment.get(each, "")
        if value.isdecimal():
            return int(value)
    return None


def complete(environment: dict[str, str] | os._Environ[str] = os.environ) -> None:
    """Set torchrun's variables that are missing, as far as others tell."""
    for name in OTHER_NAMES:
        found = number(name, environment)
        if found is not None:
            environment[name] = str(found)
    environment.setdefault("MASTER_ADDR", "127.0.0.1")
    environment.setdefault("MASTER_PORT", "29500")


def launched() -> bool:
    """Whether something has started this process as one of several."""
    return number("RANK") is not None
