"""A whole training step of a network: no gradients, forward, loss, backward and the optimizer's step."""

import itertools


class Training:
    """What the networks share: the data come from a small cycle of batches, and every way trains on them.

    A network sets `weights`, by torch's names, and `batches` in its `__init__`. It has `make_model(torch)` and
    `compute_loss(torch, model, *batch)` for libraries with torch's interface.
    """

    repeat = 1
    optimizer = "Adam"
    options = {"lr": 1e-3}  # noqa: RUF012

    def torch(self, library):
        torch = library.module
        model = library.load(self.make_model(torch), self.weights)
        optimizer = library.optimizer(self.optimizer, model.parameters(), **self.options)
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
