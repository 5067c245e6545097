"""A small network with tanh between its layers: forward alone, and a whole training step."""

import itertools

import numpy as np

from benchmarks.data import Source
from benchmarks.ways.arrays import Adam, Network
from benchmarks.ways.floor import Floor

LR = 1e-3


class Step:
    """Forward, mean squared error, backward and Adam for a network 8 - width - width - 4."""

    repeat = 1

    def __init__(self, batch, width):
        self.batch = batch
        self.sizes = (8, width, width, 4)
        source = Source()
        self.layers = source.layers(*self.sizes)
        # new data each step: on one example the loss goes to zero and the time to denormal numbers
        count = 64 if batch == 1 else 8
        self.batches = [(source.normal(batch, 8), source.normal(batch, 4)) for _ in range(count)]

    def torch(self, library):
        mse_loss = library.module.nn.functional.mse_loss
        model = library.network(self.layers)
        optimizer = library.adam(model.parameters(), LR)
        compute_loss = library.compile(lambda inputs, targets: mse_loss(model(inputs), targets))
        batches = itertools.cycle([tuple(map(library.tensor, batch)) for batch in self.batches])

        def step():
            inputs, targets = next(batches)
            optimizer.zero_grad()
            loss = compute_loss(inputs, targets)
            loss.backward()
            optimizer.step()
            return loss.item()

        return step

    def numpy(self):
        network = Network(self.layers)
        optimizer = Adam.of(network, lr=LR)
        batches = itertools.cycle(self.batches)

        def step():
            inputs, targets = next(batches)
            error = network.forward(inputs)
            np.subtract(error, targets, error)
            loss = float(np.vdot(error, error)) / error.size
            np.multiply(error, 2 / error.size, error)
            network.backward(error)
            optimizer.step()
            return loss

        return step

    def jax(self):
        import jax
        import jax.numpy as jnp

        from benchmarks.ways import xla

        def compute_loss(layers, inputs, targets):
            return jnp.mean((xla.network(layers, inputs) - targets) ** 2)

        def train(layers, state, inputs, targets):
            loss, grads = jax.value_and_grad(compute_loss)(layers, inputs, targets)
            return loss, *xla.adam(layers, grads, state, LR)

        train = jax.jit(train, donate_argnums=(0, 1))
        layers = xla.arrays(self.layers)
        state = xla.adam_state(layers)
        batches = itertools.cycle(xla.arrays(self.batches))

        def step():
            nonlocal layers, state
            loss, layers, state = train(layers, state, *next(batches))
            return float(loss)

        return step

    def floor(self):
        floor = Floor()
        floor.forward("model", self.sizes, self.batch, "tanh")
        floor.moves(3 * self.batch * 4, self.batch * 4)
        floor.backward("model", self.sizes, self.batch)
        floor.adam(self.sizes)
        return floor.step


class Forward:
    """Forward of a network 8-64-64-4 for one observation, with or without the graph."""

    repeat = 20

    def __init__(self, recording):
        self.recording = recording
        source = Source()
        self.layers = source.layers(8, 64, 64, 4)
        self.observations = [source.normal(1, 8) for _ in range(self.repeat)]

    def torch(self, library):
        no_grad = library.module.no_grad
        model = library.compile(library.network(self.layers))
        observations = list(map(library.tensor, self.observations))

        def record():
            for observation in observations:
                outputs = model(observation)
            return outputs.sum().item()

        def infer():
            for observation in observations:
                with no_grad():
                    outputs = model(observation)
            return outputs.sum().item()

        return record if self.recording else infer

    def numpy(self):
        network = Network(self.layers)

        def step():
            for observation in self.observations:
                outputs = network.forward(observation)
            return float(outputs.sum())

        return step

    def jax(self):
        import jax

        from benchmarks.ways import xla

        forward = jax.jit(xla.network)
        layers = xla.arrays(self.layers)

        def step():
            for observation in self.observations:
                outputs = forward(layers, observation).block_until_ready()
            return float(np.asarray(outputs).sum())

        return step

    def floor(self):
        floor = Floor()
        for _ in range(self.repeat):
            floor.forward("model", (8, 64, 64, 4), 1, "tanh")
        return floor.step
