"""A program in which the process of rank 1 fails, in the way that its argument says."""

import os
import signal
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

how = sys.argv[1]
if how == "before" and os.environ["RANK"] == "1":
    raise ValueError("before the start")
dist.init_process_group("mpi", timeout=timedelta(seconds=1.5))
rank = dist.get_rank()
ones = torch.ones(2)
dist.all_reduce(ones)
if how == "restart" and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" and rank == 1:
    raise ValueError("only the first time")
if rank == 1:
    if how == "raise":
        raise ValueError("something broke")
    if how == "exit with 3":
        sys.exit(3)
    if how == "exit":
        sys.exit()
    if how == "vanish":
        os._exit(0)
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "sleep":
        time.sleep(60)
    if how == "other shape":
        ones = torch.ones(3)
    if how == "other collective":
        dist.broadcast(ones, 0)
dist.all_reduce(ones)
if how == "caught":
    try:
        dist.monitored_barrier(timeout=timedelta(seconds=0.3)) if rank == 0 else time.sleep(1)
    except RuntimeError as error:
        print("caught:", error)
names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RESTART_COUNT")
print("variables", *(os.environ[name] for name in names), sys.argv[2:])
