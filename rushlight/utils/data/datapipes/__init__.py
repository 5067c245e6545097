"""DataPipes: datasets that are made of others step by step, in their simple form."""

from rushlight.utils.data.datapipes import iter, map
