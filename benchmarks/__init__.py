"""Rushlight's speed against other libraries', on the same work with the same losses: `python -m benchmarks.compare`."""
