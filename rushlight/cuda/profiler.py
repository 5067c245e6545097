"""torch.cuda.profiler: the profiler of GPUs, of which there are none."""

from rushlight.core.surface.devices import names_without

WORDS = "Torch not compiled with CUDA enabled: Rushlight runs on the CPU; there is no GPU for {}"
_found = names_without("cuda.profiler", AssertionError, WORDS, refused="init profile start stop")
globals().update(_found)
__all__ = [*_found]
