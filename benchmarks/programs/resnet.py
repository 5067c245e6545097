"""A network shaped like ResNet-18 for images of 32 x 32: eight blocks of two convolutions with a way around them."""

import numpy as np

from benchmarks.data import Source
from benchmarks.programs.training import Training

BATCH = 16
# Channels into a block, channels out of it, and its stride.
BLOCKS = [
    block
    for inputs, outputs, stride in ((64, 64, 1), (64, 128, 2), (128, 256, 2), (256, 512, 2))
    for block in ((inputs, outputs, stride), (outputs, outputs, 1))
]


class Step(Training):
    """A training step on 16 images with cross entropy and SGD with momentum."""

    optimizer = "SGD", {"lr": 0.01, "momentum": 0.9, "weight_decay": 5e-4}

    def __init__(self):
        source = Source()
        self.weights = {
            **source.layer("stem", 64, 3, 3, 3, bias=False),
            **source.norm("stem_norm", 64),
            **source.layer("head", 10, 512),
        }
        for index, block in enumerate(BLOCKS):
            self.weights |= self.block_weights(source, f"blocks.{index}", *block)
        self.statistics = {
            name.removesuffix(".weight"): (np.zeros_like(weight), np.ones_like(weight))
            for name, weight in self.weights.items()
            if name.endswith("weight") and weight.ndim == 1
        }
        self.batches = [(source.normal(BATCH, 3, 32, 32), source.integers(10, BATCH)) for _ in range(16)]

    @staticmethod
    def block_weights(source, name, inputs, outputs, stride):
        weights = {
            **source.layer(f"{name}.conv1", outputs, inputs, 3, 3, bias=False),
            **source.norm(f"{name}.norm1", outputs),
            **source.layer(f"{name}.conv2", outputs, outputs, 3, 3, bias=False),
            **source.norm(f"{name}.norm2", outputs),
        }
        if stride != 1:
            weights |= source.layer(f"{name}.shortcut.0", outputs, inputs, 1, 1, bias=False)
            weights |= source.norm(f"{name}.shortcut.1", outputs)
        return weights

    def make_model(self, torch):
        nn, F = torch.nn, torch.nn.functional

        class Block(nn.Module):
            def __init__(self, inputs, outputs, stride):
                super().__init__()
                self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
                self.norm1 = nn.BatchNorm2d(outputs)
                self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
                self.norm2 = nn.BatchNorm2d(outputs)
                self.shortcut = nn.Sequential()
                if stride != 1:
                    conv = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
                    self.shortcut = nn.Sequential(conv, nn.BatchNorm2d(outputs))

            def forward(self, x):
                out = F.relu(self.norm1(self.conv1(x)))
                out = self.norm2(self.conv2(out))
                return F.relu(out + self.shortcut(x))

        class ResNet(nn.Module):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(3, 64, 3, padding=1, bias=False)
                self.stem_norm = nn.BatchNorm2d(64)
                self.blocks = nn.Sequential(*[Block(*block) for block in BLOCKS])
                self.head = nn.Linear(512, 10)

            def forward(self, x):
                x = F.relu(self.stem_norm(self.stem(x)))
                x = F.adaptive_avg_pool2d(self.blocks(x), 1)
                return self.head(x.flatten(1))

        return ResNet()

    def compute_loss(self, torch, model, images, labels):
        return torch.nn.functional.cross_entropy(model(images), labels)

    def loss_and_statistics_in_jax(self, weights, statistics, images, labels):
        from jax.nn import relu

        from benchmarks.ways import xla

        statistics = dict(statistics)

        def convolve(convolution, norm, x, stride=1, padding=1):
            return xla.batch_norm(weights, statistics, norm, xla.convolution(weights, convolution, x, stride, padding))

        x = relu(convolve("stem", "stem_norm", images))
        for index, (_, _, stride) in enumerate(BLOCKS):
            name = f"blocks.{index}"
            out = relu(convolve(f"{name}.conv1", f"{name}.norm1", x, stride))
            out = convolve(f"{name}.conv2", f"{name}.norm2", out)
            if stride != 1:
                x = convolve(f"{name}.shortcut.0", f"{name}.shortcut.1", x, stride, padding=0)
            x = relu(out + x)
        return xla.cross_entropy(xla.linear(weights, "head", x.mean((2, 3))), labels), statistics

    def gather(self, floor):
        """Each convolution is normalised; the pass that applies it adds what went around the block."""
        layers = list(self.convolutions())
        outputs = {}
        for layer in layers:
            outputs[layer] = floor.convolution(*layer)
            floor.normalise(outputs[layer])
        floor.classify("head", (512, 10), BATCH)
        for layer in reversed(layers):
            floor.normalise(floor.convolution_backward(*layer, inputs=layer is not layers[0]), outputs[layer])

    @staticmethod
    def convolutions():
        """Name, shape of the weights, images and pixels of each."""
        side = 32
        yield "stem", (64, 3, 3, 3), BATCH, side * side
        for index, (inputs, outputs, stride) in enumerate(BLOCKS):
            side //= stride
            yield f"{index}.conv1", (outputs, inputs, 3, 3), BATCH, side * side
            yield f"{index}.conv2", (outputs, outputs, 3, 3), BATCH, side * side
            if stride != 1:
                yield f"{index}.shortcut", (outputs, inputs, 1, 1), BATCH, side * side
