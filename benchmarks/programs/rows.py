"""Operations along the rows or columns of a tensor (4096, 1024)."""

import numpy as np

from benchmarks.data import Source
from benchmarks.ways.floor import Floor

SHAPE = (4096, 1024)
SIZE = SHAPE[0] * SHAPE[1]


class Rows:
    """One function of x, alone or with its gradient."""

    repeat = 1
    # floats read or written for each element
    moved_forward = 2
    moved_backward = 3

    def __init__(self, backward=False):
        source = Source()
        self.backward = backward
        self.x, self.grad = source.normal(*SHAPE), source.normal(*SHAPE)

    def torch(self, library):
        x = library.leaf(self.x) if self.backward else library.tensor(self.x)
        grad = library.tensor(self.grad)
        function = library.compile(self.torch_function(library))

        def forward_and_backward():
            x.grad = None
            function(x).backward(grad)
            return x.grad[0, 0].item()

        return forward_and_backward if self.backward else lambda: function(x)[0, 0].item()

    def jax(self):
        import jax

        from benchmarks.ways import xla

        x, grad = xla.arrays((self.x, self.grad))
        function = self.jax_function()

        def value_and_grad(x, grad):
            result, pull = jax.vjp(function, x)
            return result, pull(grad)[0]

        forward, value_and_grad = jax.jit(function), jax.jit(value_and_grad)
        if self.backward:
            return lambda: float(np.asarray(value_and_grad(x, grad)[1])[0, 0])
        return lambda: float(np.asarray(forward(x))[0, 0])

    def floor(self):
        floor = Floor()
        floor.moves(self.moved_forward * SIZE, SIZE)
        if self.backward:
            floor.moves(self.moved_backward * SIZE, SIZE)
        return floor.step


class Softmax(Rows):
    """Softmax over the rows."""

    def torch_function(self, library):
        softmax = library.module.softmax
        return lambda x: softmax(x, -1)

    def jax_function(self):
        import jax

        return jax.nn.softmax

    def numpy(self):
        def forward():
            y = self.x - np.maximum.reduce(self.x, 1, keepdims=True)
            np.exp(y, y)
            return np.divide(y, np.add.reduce(y, 1, keepdims=True), y)

        def forward_and_backward():
            y = forward()
            grad = self.grad - np.vecdot(self.grad, y)[:, None]
            np.multiply(grad, y, grad)
            return float(grad[0, 0])

        return forward_and_backward if self.backward else lambda: float(forward()[0, 0])


class LayerNorm(Rows):
    """Layer norm over the rows, with unit weight and zero bias."""

    def torch_function(self, library):
        layer_norm = library.module.nn.functional.layer_norm
        weight, bias = (library.tensor(part) for part in self.weight_and_bias())
        return lambda x: layer_norm(x, SHAPE[1:], weight, bias)

    def jax_function(self):
        import jax
        import jax.numpy as jnp

        weight, bias = map(jnp.asarray, self.weight_and_bias())

        def layer_norm(x):
            centered = x - x.mean(1, keepdims=True)
            return centered * jax.lax.rsqrt((centered * centered).mean(1, keepdims=True) + 1e-5) * weight + bias

        return layer_norm

    @staticmethod
    def weight_and_bias():
        return np.ones(SHAPE[1], np.float32), np.zeros(SHAPE[1], np.float32)

    def numpy(self):
        weight, bias = self.weight_and_bias()

        def normalize():
            y = self.x - np.add.reduce(self.x, 1, keepdims=True) / SHAPE[1]
            scale = 1 / np.sqrt(np.vecdot(y, y)[:, None] / SHAPE[1] + 1e-5)
            return np.multiply(y, scale, y), scale

        def forward():
            y, _ = normalize()
            np.multiply(y, weight, y)
            np.add(y, bias, y)
            return float(y[0, 0])

        def forward_and_backward():
            normal, scale = normalize()
            result = normal * weight
            np.add(result, bias, result)
            grad = self.grad * weight
            np.multiply(normal, np.vecdot(grad, normal)[:, None] / SHAPE[1], normal)
            np.subtract(grad, np.add.reduce(grad, 1, keepdims=True) / SHAPE[1], grad)
            np.subtract(grad, normal, grad)
            np.multiply(grad, scale, grad)
            return float(grad[0, 0])

        return forward_and_backward if self.backward else forward


class Sum(Rows):
    """Sum over one dimension."""

    moved_forward = 1

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def torch(self, library):
        x, dim = library.tensor(self.x), self.dim
        function = library.compile(lambda x: x.sum(dim))
        return lambda: function(x)[0].item()

    def jax(self):
        import jax
        import jax.numpy as jnp

        x = jnp.asarray(self.x)
        function = jax.jit(lambda x: x.sum(self.dim))
        return lambda: float(np.asarray(function(x))[0])

    def numpy(self):
        return lambda: float(np.add.reduce(self.x, self.dim)[0])
