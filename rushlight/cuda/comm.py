"""torch.cuda.comm: transport between GPUs, of which there are none."""

from rushlight.core.surface.devices import names_without

WORDS = "Torch not compiled with CUDA enabled: Rushlight runs on the CPU; there is no GPU for {}"
_found = names_without(
    "cuda.comm",
    AssertionError,
    WORDS,
    refused="broadcast broadcast_coalesced gather reduce_add reduce_add_coalesced scatter",
)
globals().update(_found)
__all__ = [*_found]
