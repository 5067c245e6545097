"""torch.cuda.nccl: transport between GPUs, of which there are none."""

from rushlight.core.surface.devices import names_without

WORDS = "Torch not compiled with CUDA enabled: Rushlight runs on the CPU; there is no GPU for {}"
_found = names_without(
    "cuda.nccl",
    AssertionError,
    WORDS,
    refused="all_gather all_reduce broadcast reduce reduce_scatter version unique_id",
)
globals().update(_found)
__all__ = [*_found]
