"""torch.distributed.elastic: what programs import of it; jobs are started by `python -m rushlight.distributed.run`."""

from rushlight.core.surface.refusals import make_modules, table
from rushlight.distributed.elastic import multiprocessing
from rushlight.distributed.names import STARTING

__all__ = ["multiprocessing"]

make_modules("rushlight.distributed.elastic", table("utils:"), STARTING)
