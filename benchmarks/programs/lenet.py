"""LeNet: two convolutions with max pooling and three linear layers, for images of 28 x 28."""

from benchmarks.data import Source
from benchmarks.programs.training import Training

BATCH = 64


class Step(Training):
    """A training step on 64 images with cross entropy and Adam."""

    def __init__(self):
        source = Source()
        self.weights = {
            **source.layer("conv1", 6, 1, 5, 5),
            **source.layer("conv2", 16, 6, 5, 5),
            **source.layer("linear1", 120, 400),
            **source.layer("linear2", 84, 120),
            **source.layer("linear3", 10, 84),
        }
        self.batches = [(source.normal(BATCH, 1, 28, 28), source.integers(10, BATCH)) for _ in range(16)]

    def make_model(self, torch):
        nn, F = torch.nn, torch.nn.functional

        class LeNet(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
                self.conv2 = nn.Conv2d(6, 16, 5)
                self.linear1 = nn.Linear(400, 120)
                self.linear2 = nn.Linear(120, 84)
                self.linear3 = nn.Linear(84, 10)

            def forward(self, x):
                x = F.max_pool2d(F.relu(self.conv1(x)), 2)
                x = F.max_pool2d(F.relu(self.conv2(x)), 2)
                x = F.relu(self.linear1(x.flatten(1)))
                x = F.relu(self.linear2(x))
                return self.linear3(x)

        return LeNet()

    def compute_loss(self, torch, model, images, labels):
        return torch.nn.functional.cross_entropy(model(images), labels)

    def loss_in_jax(self, weights, images, labels):
        from jax.nn import relu

        from benchmarks.ways import xla

        x = xla.max_pool(relu(xla.convolution(weights, "conv1", images, padding=2)))
        x = xla.max_pool(relu(xla.convolution(weights, "conv2", x)))
        x = relu(xla.linear(weights, "linear1", x.reshape(BATCH, 400)))
        x = relu(xla.linear(weights, "linear2", x))
        return xla.cross_entropy(xla.linear(weights, "linear3", x), labels)

    def gather(self, floor):
        """The pass after a convolution pools too."""
        convolutions = [("conv1", (6, 1, 5, 5), BATCH, 28 * 28), ("conv2", (16, 6, 5, 5), BATCH, 10 * 10)]
        floor.convolutions(convolutions)
        floor.classify("linear", (400, 120, 84, 10), BATCH)
        floor.convolutions_backward(convolutions)
