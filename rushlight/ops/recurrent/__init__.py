"""Recurrent layers and cells: LSTM, GRU and plain ones, over whole sequences."""

from rushlight.ops.recurrent import cells, functions, packing
