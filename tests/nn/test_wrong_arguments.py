"""Wrong numbers and names of arguments: Python's errors name the class that was called, as under torch."""

import inspect

import pytest

import rushlight as torch
from rushlight import nn, optim
from rushlight.distributions import constraints, transforms
from rushlight.nn.utils import prune

# what torch's modules inherit from a class with a name of its own
SHARED = (
    "_AdaptiveAvgPoolNd _AdaptiveMaxPoolNd _BatchNorm _CircularPadNd _ConstantPadNd _DropoutNd _InstanceNorm _LPPoolNd "
    "_LazyNormBase _Loss _MaxPoolNd _ReflectionPadNd _ReplicationPadNd _WeightedLoss _forward_unimplemented"
).split()


def modules():
    found = {name: getattr(nn, name) for name in nn.modules.__all__}
    return {name: each for name, each in found.items() if isinstance(each, type) and issubclass(each, nn.Module)}


@pytest.mark.parametrize("method", ["__init__", "forward"])
def test_no_module_shows_an_inner_name(method):
    public = set(modules())
    for name, kind in modules().items():
        owner = inspect.unwrap(getattr(kind, method)).__qualname__.partition(".")[0]
        assert owner in public or owner in SHARED, (name, owner)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: nn.ReLU(3, 4), "ReLU.__init__() takes from 1 to 2 positional arguments but 3 were given"),
        (lambda: nn.Sigmoid(1), "Sigmoid.__init__() takes 1 positional argument but 2 were given"),
        (lambda: nn.GELU("none", 1), "GELU.__init__() takes from 1 to 2 positional arguments but 3 were given"),
        (lambda: nn.Conv2d(1, 2), "Conv2d.__init__() missing 1 required positional argument: 'kernel_size'"),
        (
            lambda: nn.ConvTranspose1d(1, 2, 3, bad=1),
            "ConvTranspose1d.__init__() got an unexpected keyword argument 'bad'",
        ),
        (lambda: nn.LazyConv2d(), "LazyConv2d.__init__() missing 2 required positional arguments: "),
        (lambda: nn.BatchNorm2d(), "_BatchNorm.__init__() missing 1 required positional argument: 'num_features'"),
        (lambda: nn.AvgPool2d(), "AvgPool2d.__init__() missing 1 required positional argument: 'kernel_size'"),
        (lambda: nn.Conv1d(1, 1, 1)(), "Conv1d.forward() missing 1 required positional argument: 'input'"),
        (lambda: nn.GRU(3, 4)(), "GRU.forward() missing 1 required positional argument: 'input'"),
        (lambda: nn.LSTM(3, 4)(bad=1), "LSTM.forward() got an unexpected keyword argument 'bad'"),
        (lambda: nn.Module()(bad=1), "_forward_unimplemented() got an unexpected keyword argument 'bad'"),
        (lambda: optim.lr_scheduler.LambdaLR(), "LambdaLR.__init__() missing 2 required positional arguments: "),
        (lambda: prune.L1Unstructured(), "L1Unstructured.__init__() missing 1 required positional argument: 'amount'"),
        (lambda: constraints.greater_than(), "_GreaterThan.__init__() missing 1 required positional argument: "),
        (lambda: transforms.ExpTransform(bad=1), "Transform.__init__() got an unexpected keyword argument 'bad'"),
        (
            lambda: nn.PairwiseDistance()(1, 2),
            "pairwise_distance(): argument 'x1' (position 1) must be Tensor, not int",
        ),
        (
            lambda: nn.PairwiseDistance()(torch.ones(2), 2),
            "pairwise_distance(): argument 'x2' (position 2) must be Tensor, not int",
        ),
    ],
)
def test_the_error_names_what_was_called(call, words):
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value).startswith(words)


def test_a_class_between_two_of_ours_still_sets_up_both():
    class Beside:
        def __init__(self):
            super().__init__()
            self.beside = True

    class Both(nn.ReLU, Beside):
        pass

    assert Both(True).inplace and "forward" not in vars(Both)
    assert nn.Sigmoid(inplace=True).inplace and nn.Softplus(2.0, inplace=True).inplace
