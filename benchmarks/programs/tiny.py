"""Tiny tensors, where the time goes into calls and not into arithmetic."""

import numpy as np

from benchmarks.data import Source


class Add:
    """a + b on four floats, with the graph recorded."""

    repeat = 1000

    def __init__(self):
        source = Source()
        self.a, self.b = source.normal(4), source.normal(4)

    def torch(self, library):
        a, b = library.leaf(self.a), library.leaf(self.b)
        add = library.compile(lambda a, b: a + b)

        def step():
            for _ in range(self.repeat):
                c = a + b
            return c.sum().item()

        def compiled_step():
            for _ in range(self.repeat):
                c = add(a, b)
            return c.sum().item()

        return compiled_step if library.compiled else step

    def numpy(self):
        a, b = self.a, self.b

        def step():
            for _ in range(self.repeat):
                c = a + b
            return float(c.sum())

        return step


class Backward:
    """A scalar made of one or two tensors, and its gradients."""

    repeat = 100

    def scalar_in_jax(self, *leaves):
        return self.scalar(*leaves)

    def torch(self, library):
        leaves = [library.leaf(array) for array in self.leaves]
        scalar = library.compile(self.scalar)

        def step():
            for leaf in leaves:
                leaf.grad = None
            for _ in range(self.repeat):
                scalar(*leaves).backward()
            return leaves[0].grad.ravel()[0].item() / self.repeat

        return step

    def jax(self):
        import jax

        from benchmarks.ways import xla

        leaves = xla.arrays(self.leaves)
        gradients = jax.jit(jax.value_and_grad(self.scalar_in_jax, tuple(range(len(leaves)))))

        def step():
            for _ in range(self.repeat):
                _, (first, *_) = gradients(*leaves)
            return float(np.asarray(first).ravel()[0])

        return step


class MulSumBackward(Backward):
    """(a * b).sum().backward() on four floats."""

    def __init__(self):
        source = Source()
        self.leaves = [source.normal(4), source.normal(4)]

    @staticmethod
    def scalar(a, b):
        return (a * b).sum()

    def numpy(self):
        a, b = self.leaves
        one = np.float32(1)

        def step():
            for _ in range(self.repeat):
                np.add.reduce(a * b)
                a_grad, b_grad = one * b, one * a
            return float(a_grad[0] + 0 * b_grad[0])

        return step


class Tanh(Backward):
    """x.tanh().sum().backward() on 64 x 64 floats."""

    repeat = 20

    def __init__(self):
        self.leaves = [Source().normal(64, 64)]

    @staticmethod
    def scalar(x):
        return x.tanh().sum()

    def scalar_in_jax(self, x):
        import jax.numpy as jnp

        return jnp.tanh(x).sum()

    def numpy(self):
        (x,) = self.leaves

        def step():
            for _ in range(self.repeat):
                result = np.tanh(x)
                result.sum()
                np.multiply(result, result, result)
                grad = np.subtract(1, result, result)
            return float(grad[0, 0])

        return step
