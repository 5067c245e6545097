"""Type stubs of the public surface, written from the registry of ops: `python -m tools.stubs`."""
