"""Constants of `torch.distributed`: how long collectives wait unless told otherwise."""

from datetime import timedelta

from rushlight.distributed.process_group import default_pg_timeout

__all__ = ["default_pg_nccl_timeout", "default_pg_timeout"]

default_pg_nccl_timeout = timedelta(minutes=10)
