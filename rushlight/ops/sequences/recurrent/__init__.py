"""Recurrent layers and cells: LSTM, GRU and plain ones, over whole sequences."""

from rushlight.ops.sequences.recurrent import cells, functions, packing
