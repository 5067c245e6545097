"""A whole training step of a network: zero_grad, forward, loss, backward and the optimizer's step."""

import itertools

from benchmarks.ways.floor import Floor

# How many floats a step moves for each parameter, and how many there are.
TRAFFIC = {"Adam": (7, 4), "AdamW": (7, 4), "SGD": (5, 3)}


class Training:
    """What the networks share: the data come from a small cycle of batches, and every way trains on them.

    A network sets `weights`, by torch's names, and `batches` in its `__init__`. It has `make_model(torch)` and
    `compute_loss(torch, model, *batch)` for libraries with torch's interface, `loss_in_jax(weights, *batch)`, and
    `gather(floor)`, which adds the products and passes of forward and backward.
    """

    repeat = 1
    # Its name in torch, and its options.
    optimizer = "Adam", {"lr": 1e-3}
    # Running means and variances, for JAX.
    statistics = None

    def torch(self, library):
        torch = library.module
        model = library.load(self.make_model(torch), self.weights)
        name, options = self.optimizer
        optimizer = library.optimizer(name, model.parameters(), **options)
        compute_loss = library.compile(lambda *batch: self.compute_loss(torch, model, *batch))
        batches = itertools.cycle([tuple(map(library.tensor, batch)) for batch in self.batches])

        def step():
            batch = next(batches)
            optimizer.zero_grad()
            loss = compute_loss(*batch)
            loss.backward()
            optimizer.step()
            return loss.item()

        return step

    def jax(self):
        import jax

        from benchmarks.ways import xla

        name, options = self.optimizer
        make_state, take_step = xla.OPTIMIZERS[name]

        def train(weights, state, statistics, batch):
            differentiate = jax.value_and_grad(self.loss_and_statistics_in_jax, has_aux=True)
            (loss, statistics), grads = differentiate(weights, statistics, *batch)
            return loss, *take_step(weights, grads, state, **options), statistics

        train = jax.jit(train, donate_argnums=(0, 1, 2))
        weights, statistics = xla.arrays(self.weights), xla.arrays(self.statistics)
        state = make_state(weights)
        batches = itertools.cycle(xla.arrays(self.batches))

        def step():
            nonlocal weights, state, statistics
            loss, weights, state, statistics = train(weights, state, statistics, next(batches))
            return float(loss)

        return step

    def loss_and_statistics_in_jax(self, weights, statistics, *batch):
        """The loss, and the new statistics of those networks that have any."""
        return self.loss_in_jax(weights, *batch), statistics

    def floor(self):
        floor = Floor()
        self.gather(floor)
        elements = sum(weight.size for weight in self.weights.values())
        moved, kept = TRAFFIC[self.optimizer[0]]
        floor.moves(moved * elements, kept * elements // 2)
        return floor.step
