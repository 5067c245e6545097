"""Pooling: windows of an input brought down to their maximum, average or norm."""

from rushlight.ops.images.pooling import adaptive, averages, fractional, maxima, norms, unpooling
