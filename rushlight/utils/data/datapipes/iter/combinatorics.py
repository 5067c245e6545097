"""DataPipes that choose or shuffle, under the names of their classes."""

from rushlight.utils.data.datapipes.iter import Sampler as SamplerIterDataPipe
from rushlight.utils.data.datapipes.iter import Shuffler as ShufflerIterDataPipe

__all__ = ["SamplerIterDataPipe", "ShufflerIterDataPipe"]
