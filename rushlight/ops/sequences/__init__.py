"""Sequences: recurrent layers, attention, and rows looked up by number."""
