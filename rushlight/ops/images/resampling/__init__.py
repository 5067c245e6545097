"""Resampling: images and volumes read between their elements."""

from rushlight.ops.images.resampling import grids, interpolation
