"""A policy at work: one observation in, an action drawn and its log probability out."""

import numpy as np

from benchmarks.data import Source
from benchmarks.ways.arrays import Network


class Act:
    """Forward of a network 8-64-64-4 without the graph, then Categorical's sample and log_prob.

    The libraries draw different actions; what must agree is the mean of the log probabilities.
    """

    repeat = 20

    def __init__(self):
        source = Source()
        self.layers = source.layers(8, 64, 64, 4)
        self.observations = [source.normal(8) for _ in range(self.repeat)]

    def torch(self, library):
        torch = library.module
        torch.manual_seed(0)
        no_grad, Categorical = torch.no_grad, torch.distributions.Categorical
        model = library.compile(library.network(self.layers))
        observations = list(map(library.tensor, self.observations))

        def step():
            total = 0.0
            for observation in observations:
                with no_grad():
                    policy = Categorical(logits=model(observation))
                    action = policy.sample()
                    log_prob = policy.log_prob(action)
                action.item()
                total += log_prob.item()
            return total / self.repeat

        return step

    def numpy(self):
        network = Network(self.layers)
        generator = np.random.default_rng(0)

        def step():
            total = 0.0
            for observation in self.observations:
                logits = network.forward(observation[None])[0]
                np.subtract(logits, logits.max(), logits)
                probs = np.exp(logits)
                sums = np.add.accumulate(probs)
                action = sums.searchsorted(generator.random() * sums[-1])
                total += float(logits[action] - np.log(sums[-1]))
            return total / self.repeat

        return step

    def jax(self):
        import jax

        from benchmarks.ways import xla

        def act(layers, observation, key):
            key, now = jax.random.split(key)
            log_probs = jax.nn.log_softmax(xla.network(layers, observation))
            action = jax.random.categorical(now, log_probs)
            return key, action, log_probs[action]

        act = jax.jit(act)
        layers = xla.arrays(self.layers)
        key = jax.random.key(0)

        def step():
            nonlocal key
            total = 0.0
            for observation in self.observations:
                key, action, log_prob = act(layers, observation, key)
                int(action)
                total += float(log_prob)
            return total / self.repeat

        return step
