"""Chains of pointwise operations on large tensors, where memory decides."""

import numpy as np

from benchmarks.data import Source
from benchmarks.ways.floor import Floor


class Arithmetic:
    """relu((x + y) * x - y): eleven floats read or written for each element, operation by operation."""

    repeat = 1
    moved = 11

    def __init__(self, size):
        source = Source()
        self.size = size
        self.x, self.y = source.normal(size), source.normal(size)

    def torch(self, library):
        x, y = library.tensor(self.x), library.tensor(self.y)
        chain = library.compile(lambda x, y: ((x + y) * x - y).relu())
        return lambda: chain(x, y)[0].item()

    def numpy(self):
        x, y = self.x, self.y

        def step():
            z = x + y
            np.multiply(z, x, z)
            np.subtract(z, y, z)
            np.maximum(z, 0, z)
            return float(z[0])

        return step

    def jax(self):
        import jax

        from benchmarks.ways import xla

        x, y = xla.arrays((self.x, self.y))
        chain = jax.jit(lambda x, y: jax.nn.relu((x + y) * x - y))
        return lambda: float(np.asarray(chain(x, y))[0])

    def floor(self):
        floor = Floor()
        floor.moves(self.moved * self.size, self.size)
        return floor.step


class ArithmeticBackward(Arithmetic):
    """The same with the gradient of x: relu's backward moves 3 floats, the product's 5, their sum 3."""

    moved = 22

    def torch(self, library):
        x, y, grad = library.leaf(self.x), library.tensor(self.y), library.tensor(np.ones_like(self.x))
        chain = library.compile(lambda x, y: ((x + y) * x - y).relu())

        def step():
            x.grad = None
            chain(x, y).backward(grad)
            return x.grad[0].item()

        return step

    def numpy(self):
        x, y = self.x, self.y

        def step():
            sums = x + y
            z = sums * x
            np.subtract(z, y, z)
            grad = (z > 0).astype(np.float32)
            np.maximum(z, 0, z)
            np.add(sums, x, sums)
            np.multiply(grad, sums, grad)
            return float(grad[0])

        return step

    def jax(self):
        import jax
        import jax.numpy as jnp

        from benchmarks.ways import xla

        def value_and_grad(x, y, grad):
            result, pull = jax.vjp(lambda x: jax.nn.relu((x + y) * x - y), x)
            return result, pull(grad)[0]

        x, y = xla.arrays((self.x, self.y))
        grad = jnp.ones_like(x)
        value_and_grad = jax.jit(value_and_grad)
        return lambda: float(np.asarray(value_and_grad(x, y, grad)[1])[0])


class Functions:
    """x.tanh().exp().sigmoid().log()."""

    repeat = 1

    def __init__(self, size):
        self.x = Source().normal(size)

    def torch(self, library):
        x = library.tensor(self.x)
        chain = library.compile(lambda x: x.tanh().exp().sigmoid().log())
        return lambda: chain(x)[0].item()

    def numpy(self):
        def step():
            z = np.tanh(self.x)
            np.exp(z, z)
            # the logarithm of a sigmoid is one sum and one logarithm less
            np.negative(z, z)
            np.exp(z, z)
            np.log1p(z, z)
            np.negative(z, z)
            return float(z[0])

        return step

    def jax(self):
        import jax
        import jax.numpy as jnp

        x = jnp.asarray(self.x)
        chain = jax.jit(lambda x: jnp.log(jax.nn.sigmoid(jnp.exp(jnp.tanh(x)))))
        return lambda: float(np.asarray(chain(x))[0])

    def floor(self):
        floor = Floor()
        values = np.ones_like(self.x)
        for function in (np.tanh, np.exp, np.exp, np.log):
            floor.function(function, values, values)
        return floor.step
