"""A network shaped like ResNet-18 for images of 32 x 32: eight blocks of two convolutions with a way around them."""

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

    optimizer = "SGD"
    options = {"lr": 0.01, "momentum": 0.9, "weight_decay": 5e-4}  # noqa: RUF012

    def __init__(self):
        source = Source()
        self.weights = {
            **source.layer("stem", 64, 3, 3, 3, bias=False),
            **source.norm("stem_norm", 64),
            **source.layer("head", 10, 512),
        }
        for index, block in enumerate(BLOCKS):
            self.weights |= self.block_weights(source, f"blocks.{index}", *block)
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
