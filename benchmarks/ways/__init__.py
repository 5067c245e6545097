"""The ways to write a program: with torch's interface, in NumPy by hand, with JAX, and the floor under them all."""
