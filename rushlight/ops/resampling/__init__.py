"""Resampling: images and volumes read between their elements."""

from rushlight.ops.resampling import grids, interpolation
