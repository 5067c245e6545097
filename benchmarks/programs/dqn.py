"""Nature-DQN: three convolutions and two linear layers that value the actions of an Atari game."""

from benchmarks.data import Source
from benchmarks.programs.training import Training

BATCH = 32
ACTIONS = 6


class Step(Training):
    """A training step towards given returns of the actions that were taken, with Huber's loss and Adam."""

    optimizer = "Adam", {"lr": 1e-4}

    def __init__(self):
        source = Source()
        self.weights = {
            **source.layer("conv1", 32, 4, 8, 8),
            **source.layer("conv2", 64, 32, 4, 4),
            **source.layer("conv3", 64, 64, 3, 3),
            **source.layer("linear1", 512, 3136),
            **source.layer("linear2", ACTIONS, 512),
        }
        self.batches = [
            (source.uniform(0, 1, BATCH, 4, 84, 84), source.integers(ACTIONS, BATCH, 1), source.normal(BATCH, 1))
            for _ in range(8)
        ]

    def make_model(self, torch):
        nn, F = torch.nn, torch.nn.functional

        class QNetwork(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv1 = nn.Conv2d(4, 32, 8, stride=4)
                self.conv2 = nn.Conv2d(32, 64, 4, stride=2)
                self.conv3 = nn.Conv2d(64, 64, 3)
                self.linear1 = nn.Linear(3136, 512)
                self.linear2 = nn.Linear(512, ACTIONS)

            def forward(self, x):
                x = F.relu(self.conv1(x))
                x = F.relu(self.conv2(x))
                x = F.relu(self.conv3(x))
                x = F.relu(self.linear1(x.flatten(1)))
                return self.linear2(x)

        return QNetwork()

    def compute_loss(self, torch, model, observations, actions, targets):
        values = model(observations).gather(1, actions)
        return torch.nn.functional.smooth_l1_loss(values, targets)

    def loss_in_jax(self, weights, observations, actions, targets):
        import jax.numpy as jnp
        from jax.nn import relu

        from benchmarks.ways import xla

        x = relu(xla.convolution(weights, "conv1", observations, stride=4))
        x = relu(xla.convolution(weights, "conv2", x, stride=2))
        x = relu(xla.convolution(weights, "conv3", x))
        x = relu(xla.linear(weights, "linear1", x.reshape(BATCH, 3136)))
        values = jnp.take_along_axis(xla.linear(weights, "linear2", x), actions, 1)
        error = jnp.abs(values - targets)
        return jnp.where(error < 1, 0.5 * error**2, error - 0.5).mean()

    def gather(self, floor):
        convolutions = [
            ("conv1", (32, 4, 8, 8), BATCH, 20 * 20),
            ("conv2", (64, 32, 4, 4), BATCH, 9 * 9),
            ("conv3", (64, 64, 3, 3), BATCH, 7 * 7),
        ]
        floor.convolutions(convolutions)
        floor.forward("linear", (3136, 512, ACTIONS), BATCH, "relu")
        floor.backward("linear", (3136, 512, ACTIONS), BATCH, inputs=True)
        floor.convolutions_backward(convolutions)
