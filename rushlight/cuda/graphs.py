"""torch.cuda.graphs: recorded work for GPUs, of which there are none."""

from rushlight import cuda

NAMES = """
CUDAGraph graph graph_pool_handle is_current_stream_capturing make_graphed_callables
"""
__all__ = [*NAMES.split()]

globals().update({name: getattr(cuda, name) for name in __all__})
