"""Dropping: dropout by the names it has in torch itself, and in the two halves that compilers of graphs use."""

from __future__ import annotations

import numpy as np

from rushlight.core.memory.meta import beside
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.machine.bind import NAMESPACES
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.layouts import KEPT
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import ELEMENTWISE
from rushlight.ops.random.dropout import alpha_dropped, dropped, kept, require_floating


def declare(name: str, doc: str, drop, features: bool) -> None:
    """`torch.dropout(input, p, train)` and its like, with the in-place form."""

    def checked(input: Tensor, p: float, train: bool, inplace: bool) -> Tensor:
        if not 0 <= p <= 1:
            raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
        return drop(input, p, train, inplace, features)

    def function(input, p: float, train: bool):
        return checked(input, p, train, False)

    def inplace(input: Tensor, p: float, train: bool) -> Tensor:
        return checked(input, p, train, True)

    function.__name__, function.__doc__ = name, doc
    inplace.__name__, inplace.__doc__ = name + "_", f"{name} in place."
    samples = cases(
        lambda make: [
            case(make.floats(2, 3, 4), 0.3, True),
            case(make.floats(2, 3, 4, dtype="float64"), 0.5, False),
            case(make.floats(4, 3).T, 0.7, True),
            case(make.floats(2, 3), 1.0, True),
            case(make.floats(0, 3), 0.5, True),
            case(make.ints(2, 3), 0.5, True),
            case(make.floats(2, 3), 1.5, True),
            case(make.floats(3), 0.5, True),
        ]
    )
    composed(name=name, samples=samples, method=False)(function)
    NAMESPACES[""][name + "_"] = inplace


for each in (
    (
        "dropout",
        """Set each element to zero with probability `p` if `train`.

        >>> _ = torch.manual_seed(0)
        >>> torch.dropout(torch.ones(6), p=0.25, train=True)
        tensor([0.0000, 1.3333, 1.3333, 0.0000, 1.3333, 0.0000])
        >>> torch.dropout(torch.ones(6), p=0.25, train=False)
        tensor([1., 1., 1., 1., 1., 1.])
        """,
        dropped,
        False,
    ),
    (
        "feature_dropout",
        """Set whole channels to zero with probability `p` if `train`.

        >>> _ = torch.manual_seed(0)
        >>> torch.feature_dropout(torch.ones(1, 4, 2), p=0.5, train=True)
        tensor([[[0., 0.],
                 [0., 0.],
                 [2., 2.],
                 [0., 0.]]])
        """,
        dropped,
        True,
    ),
    (
        "alpha_dropout",
        """Dropout that keeps the mean and variance of what SELU gives.

        >>> _ = torch.manual_seed(0)
        >>> torch.alpha_dropout(torch.zeros(6), p=0.5, train=True)
        tensor([-0.7792, -0.7792,  0.7792, -0.7792, -0.7792, -0.7792])
        """,
        alpha_dropped,
        False,
    ),
    (
        "feature_alpha_dropout",
        """`alpha_dropout` of whole channels.

        >>> _ = torch.manual_seed(0)
        >>> torch.feature_alpha_dropout(torch.zeros(1, 3, 2), p=0.5, train=True)
        tensor([[[-0.7792, -0.7792],
                 [-0.7792, -0.7792],
                 [ 0.7792,  0.7792]]])
        """,
        alpha_dropped,
        True,
    ),
):
    declare(*each)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 0.3, True),
            case(make.floats(3, 4, dtype="float64").T, 0.3, True),
            case(make.floats(3), 0.3, False),
            case(make.floats(3), 1.0, True),
            case(make.floats(3), 0.0, True),
            case(make.floats(0), 0.3, None),
            case(make.ints(3), 0.3, True),
            case(make.floats(3), 1.5, True),
        ]
    ),
    method=False,
)
def native_dropout(input, p, train):
    """Dropout that also tells which elements were kept: `(result, mask)`.

    >>> _ = torch.manual_seed(0)
    >>> torch.native_dropout(torch.ones(4), 0.5, True)
    (tensor([0., 0., 2., 0.]), tensor([False, False,  True, False]))
    """
    array = input._array
    if not array.size:
        return scaled(input, wrap(beside(array, np.zeros(array.shape, bool))), 1.0), wrap(np.zeros_like(array))
    if train is False:
        return scaled(input, wrap(beside(array, np.ones(array.shape, bool))), 1.0), wrap(
            beside(array, np.ones(array.shape, bool))
        )
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={1 - p}")
    drawn = np.empty_like(array, np.float32) if array.dtype.kind == "c" else array
    mask = wrap(kept(drawn, p, features=False) != 0)
    if p < 1:
        require_floating(array)  # after the draw, as in torch: the stream has moved
    return scaled(input, mask, 1 / (1 - p) if p < 1 else 0.0), mask


@op(dtype=SAME, batch=ELEMENTWISE, layout=KEPT, name="_native_dropout", node="NativeDropoutBackward0", samples=None)
def scaled(input, mask: "Tensor", scale: float):
    """What was kept, enlarged."""
    return input * mask * input.dtype.type(scale)


scaled.gradient(input=lambda grad, mask, scale: native_dropout_backward(grad, mask, scale))


def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
    """The gradient of what `native_dropout` was given, where `scale` is one over the probability of being kept."""
    return grad_output * mask * scale


NAMESPACES[""]["native_dropout_backward"] = native_dropout_backward
