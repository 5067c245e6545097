"""Which classes have a method of their own that they share with others here, so that errors name the class."""

from __future__ import annotations

from types import ModuleType

from rushlight.core.surface.naming import make_own

INIT = {
    "activation": "CELU Hardshrink Hardsigmoid Hardswish LogSigmoid LogSoftmax Mish ReLU SELU SiLU Sigmoid Softmax "
    "Softmin Softsign Tanh",
    "batchnorm": "_BatchNorm",
    "conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    "loss": "CosineEmbeddingLoss MarginRankingLoss",
    "padding": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d "
    "ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d",
    "pooling": "AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d",
}
FORWARD = {
    "conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    "padding": "_ReflectionPadNd _ReplicationPadNd",
    "rnn": "GRU LSTM RNN",
}


def give_methods(files: dict[str, ModuleType]) -> None:
    """Give the classes of these files the methods that torch's have."""
    for method, table in (("__init__", INIT), ("forward", FORWARD)):
        for name, classes in table.items():
            for kind in classes.split():
                make_own(getattr(files[name], kind), method)
