"""Products of square matrices, which the BLAS decides."""

import numpy as np

from benchmarks.data import Source
from benchmarks.ways.floor import Floor


class Square:
    """a @ b for matrices (size, size)."""

    def __init__(self, size):
        source = Source()
        self.a, self.b = source.normal(size, size), source.normal(size, size)
        # so that a step is long against the reading of its result
        self.repeat = max(1, 512 // size) ** 2

    def torch(self, library):
        a, b = library.tensor(self.a), library.tensor(self.b)
        product = library.compile(lambda a, b: a @ b)

        def step():
            for _ in range(self.repeat):
                c = product(a, b)
            return c[0, 0].item()

        return step

    def numpy(self):
        a, b = self.a, self.b

        def step():
            for _ in range(self.repeat):
                c = a @ b
            return float(c[0, 0])

        return step

    def jax(self):
        import jax

        from benchmarks.ways import xla

        a, b = xla.arrays((self.a, self.b))
        product = jax.jit(lambda a, b: a @ b)

        def step():
            for _ in range(self.repeat):
                c = product(a, b).block_until_ready()
            return float(np.asarray(c)[0, 0])

        return step

    def floor(self):
        floor = Floor()
        out = floor.array(self.a.shape, "out")
        for _ in range(self.repeat):
            floor.product(self.a, self.b, out)
        return floor.step
