"""torch.cuda.memory: GPU memory, of which there is none: the questions of torch.cuda under their own module."""

from rushlight import cuda

NAMES = """
CUDAPluggableAllocator MemPool empty_cache max_memory_allocated max_memory_cached max_memory_reserved mem_get_info
memory_allocated memory_cached memory_reserved memory_snapshot memory_stats memory_summary
reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached reset_peak_memory_stats
set_per_process_memory_fraction
"""
__all__ = [*NAMES.split()]

globals().update({name: getattr(cuda, name) for name in __all__})
