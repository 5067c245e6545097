"""torch.cuda.streams: streams of GPUs, of which there are none."""

from rushlight import cuda

NAMES = """
Event ExternalStream Stream
"""
__all__ = [*NAMES.split()]

globals().update({name: getattr(cuda, name) for name in __all__})
