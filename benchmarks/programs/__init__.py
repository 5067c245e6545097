"""What is measured, a family a file: the same mathematics on the same data, once for every way to write it.

A program is a class. Its `__init__` makes the data and the first weights with NumPy, so that all libraries start from
the same numbers. Each of its methods `torch`, `numpy`, `jax` and `floor` sets the work up in that way and returns
`step`, which does it once and returns a number that must be the same for all. Where only a part of a step counts,
the method returns `(before, step)`: `before` is not timed and its result goes to `step`. A way that is not there, or
makes no sense, is no method.
"""
