"""A step of Adam alone, on gradients that are there, with and without a limit on their norm."""

from types import SimpleNamespace

import numpy as np

from benchmarks.data import Source
from benchmarks.ways import arrays
from benchmarks.ways.floor import Floor

LR = 1e-3


class Step:
    """One step on `count` tensors of `size` elements; with `norm` as the largest norm of their gradients together."""

    repeat = 1

    def __init__(self, count, size, norm=None):
        source = Source()
        self.norm = norm
        self.values = [source.normal(size) for _ in range(count)]
        self.grads = [source.normal(size) for _ in range(count)]

    def torch(self, library):
        parameters = [library.leaf(value) for value in self.values]
        for parameter, grad in zip(parameters, self.grads, strict=True):
            parameter.grad = library.tensor(grad)
        take_step = library.step_of_adam(parameters, LR, self.norm)
        first = parameters[0].detach()[0]

        def step():
            take_step()
            return first.item()

        return step

    def numpy(self):
        flat = SimpleNamespace(flat=np.concatenate(self.values), flat_grad=np.concatenate(self.grads))
        optimizer = arrays.Adam.of(flat, lr=LR)

        def step():
            if self.norm is not None:
                arrays.clip_grad_norm([flat], self.norm)
            optimizer.step()
            return float(flat.flat[0])

        return step

    def jax(self):
        import jax

        from benchmarks.ways import xla

        def update(values, state, grads):
            if self.norm is not None:
                grads = xla.clip_grad_norm(grads, self.norm)
            return xla.adam(values, grads, state, LR)

        update = jax.jit(update, donate_argnums=(0, 1))
        values, grads = xla.arrays(self.values), xla.arrays(self.grads)
        state = xla.adam_state(values)

        def step():
            nonlocal values, state
            values, state = update(values, state, grads)
            return float(np.asarray(values[0])[0])

        return step

    def floor(self):
        """Parameter, gradient and both moments are read, all but the gradient written; a norm reads it once more."""
        floor = Floor()
        elements = sum(value.size for value in self.values)
        floor.moves((7 if self.norm is None else 8) * elements, 2 * elements)
        return floor.step
