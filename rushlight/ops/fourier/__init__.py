"""Fourier analysis: discrete transforms along one or more dimensions, their frequencies, short-time spectra."""

from rushlight.ops.fourier import frequencies, grids, lines, short_time
