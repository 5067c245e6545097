"""A character model with an LSTM: an embedding, one layer of 128 cells over 50 steps, and a linear head."""

import numpy as np

from benchmarks.data import Source
from benchmarks.programs.training import Training

STEPS, BATCH, WIDTH, VOCABULARY = 50, 32, 128, 65


class Step(Training):
    """A training step on 32 texts of 50 characters with cross entropy and Adam."""

    def __init__(self):
        source = Source()
        bound = WIDTH**-0.5
        self.weights = {
            "tokens.weight": source.normal(VOCABULARY, WIDTH),
            **source.layer("head", VOCABULARY, WIDTH),
            "lstm.weight_ih_l0": source.uniform(-bound, bound, 4 * WIDTH, WIDTH),
            "lstm.weight_hh_l0": source.uniform(-bound, bound, 4 * WIDTH, WIDTH),
            "lstm.bias_ih_l0": source.uniform(-bound, bound, 4 * WIDTH),
            "lstm.bias_hh_l0": source.uniform(-bound, bound, 4 * WIDTH),
        }
        texts = [source.integers(VOCABULARY, STEPS + 1, BATCH) for _ in range(16)]
        self.batches = [(text[:-1].copy(), text[1:].copy()) for text in texts]

    def make_model(self, torch):
        nn = torch.nn

        class CharacterModel(nn.Module):
            def __init__(self):
                super().__init__()
                self.tokens = nn.Embedding(VOCABULARY, WIDTH)
                self.lstm = nn.LSTM(WIDTH, WIDTH)
                self.head = nn.Linear(WIDTH, VOCABULARY)

            def forward(self, tokens):
                outputs, _ = self.lstm(self.tokens(tokens))
                return self.head(outputs)

        return CharacterModel()

    def compute_loss(self, torch, model, tokens, following):
        logits = model(tokens)
        return torch.nn.functional.cross_entropy(logits.view(-1, VOCABULARY), following.view(-1))

    def loss_in_jax(self, weights, tokens, following):
        import jax
        import jax.numpy as jnp

        from benchmarks.ways import xla

        bias = weights["lstm.bias_ih_l0"] + weights["lstm.bias_hh_l0"]
        inputs = weights["tokens.weight"][tokens] @ weights["lstm.weight_ih_l0"].T + bias

        def advance(state, inputs):
            hidden, cell = state
            gates = inputs + hidden @ weights["lstm.weight_hh_l0"].T
            take, keep, new, show = jnp.split(gates, 4, 1)
            cell = jax.nn.sigmoid(keep) * cell + jax.nn.sigmoid(take) * jnp.tanh(new)
            hidden = jax.nn.sigmoid(show) * jnp.tanh(cell)
            return (hidden, cell), hidden

        zeros = jnp.zeros((BATCH, WIDTH))
        _, outputs = jax.lax.scan(advance, (zeros, zeros), inputs)
        return xla.cross_entropy(xla.linear(weights, "head", outputs), following)

    def gather(self, floor):
        """One product for all inputs, then a product and the functions of gates and cell at each step.

        The weight of the steps is there both ways around: turning it once takes nothing, and 50 products are faster.
        """
        rows, gates = STEPS * BATCH, 4 * WIDTH
        floor.forward("inputs", (WIDTH, gates), rows, "tanh")
        inputs = floor.array((rows, gates), "inputs", 1).reshape(STEPS, BATCH, gates)
        hidden, cell = floor.array((BATCH, WIDTH), "hidden"), floor.array((BATCH, WIDTH), "cell")
        weight, sums = floor.array((gates, WIDTH), "weight"), floor.array((BATCH, gates), "sums")
        turned = floor.array((WIDTH, gates), "weight")
        for now in inputs:
            floor.product(hidden, turned, sums)
            floor.function(np.tanh, sums, now)
            floor.function(np.tanh, hidden, cell)
        floor.classify("head", (WIDTH, VOCABULARY), rows)
        outputs, grads = floor.array((rows, WIDTH), "outputs"), floor.array((rows, gates), "grads")
        for now, grad in zip(inputs, grads.reshape(STEPS, BATCH, gates), strict=True):
            floor.revise(grad, now)
            floor.product(grad, weight, hidden)
        floor.product(grads.T, outputs, floor.array((gates, WIDTH), "weight_grad"))
        floor.backward("inputs", (WIDTH, gates), rows, inputs=True)
