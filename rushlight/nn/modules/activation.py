"""Activations: nonlinearities as modules, without parameters but for PReLU."""

from __future__ import annotations

from typing import Any

from rushlight.core.creation.filled import empty
from rushlight.core.numbers.dtypes import dtype as Dtype
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import names_of
from rushlight.errors.warning import warn
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.ops.machine import overwriting

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


class MayOverwrite(Module):
    """An activation that torch has no option for; here `inplace=True` writes over its input too."""

    # the instance has it only where it is True: a pickle is then torch's
    inplace: bool = False

    def __init__(self, *, inplace: bool = False) -> None:
        super().__init__()
        if inplace:
            self.inplace = True

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class WithInplace(MayOverwrite):
    """An activation whose only option is to write over its input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class Sigmoid(MayOverwrite):
    """1 / (1 + exp(-x)) for each element x."""

    def forward(self, input: Tensor) -> Tensor:
        return input.sigmoid_() if self.inplace else F.sigmoid(input)


class Tanh(MayOverwrite):
    """Hyperbolic tangent of each element."""

    def forward(self, input: Tensor) -> Tensor:
        return input.tanh_() if self.inplace else F.tanh(input)


class LogSigmoid(MayOverwrite):
    """log(sigmoid(x)) for each element x, without overflow."""

    def forward(self, input: Tensor) -> Tensor:
        return overwriting.logsigmoid_(input) if self.inplace else F.logsigmoid(input)


class Softsign(MayOverwrite):
    """x / (1 + |x|) for each element x."""

    def forward(self, input: Tensor) -> Tensor:
        return overwriting.softsign_(input) if self.inplace else F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x) for each element x."""

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class ReLU(WithInplace):
    """Each element, but zero where it is negative."""

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


class Hardsigmoid(WithInplace):
    """A straight line from 0 at -3 to 1 at 3."""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardswish(WithInplace):
    """x times `Hardsigmoid` of x."""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class SiLU(WithInplace):
    """x * sigmoid(x) for each element x."""

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class Mish(WithInplace):
    """x * tanh(softplus(x)) for each element x."""

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)


class SELU(WithInplace):
    """The ELU with the constants that keep mean 0 and variance 1 from layer to layer."""

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class ELU(Module):
    """Each element, or alpha * (exp(x) - 1) where it is negative."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class CELU(ELU):
    """Each element, or alpha * (exp(x / alpha) - 1) where it is negative."""

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class LeakyReLU(Module):
    """Each element, times `negative_slope` where it is negative."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class RReLU(Module):
    """Each element, times a slope where it is negative: a random one in training, else the mean of the limits."""

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """Each element, times a learned weight where it is negative: one weight, or one a channel."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Dtype | None = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weights to their first value."""
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Threshold(Module):
    """Each element, or `value` where it is not above the threshold."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class Hardtanh(Module):
    """Each element kept between two limits."""

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        if min_value is not None:
            warn("keyword argument `min_value` is deprecated and renamed to `min_val`", FutureWarning)
            min_val = min_value
        if max_value is not None:
            warn("keyword argument `max_value` is deprecated and renamed to `max_val`", FutureWarning)
            max_val = max_value
        if not max_val > min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class ReLU6(Hardtanh):
    """Each element kept between 0 and 6."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class GELU(MayOverwrite):
    """x times the probability that a standard normal number is below x; "tanh" approximates that."""

    def __init__(self, approximate: str = "none", *, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        function = overwriting.gelu_ if self.inplace else F.gelu
        return function(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}" + (", inplace=True" if self.inplace else "")


class Softplus(MayOverwrite):
    """log(1 + exp(beta x)) / beta for each element x: a smooth ReLU."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0, *, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        function = overwriting.softplus_ if self.inplace else F.softplus
        return function(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}" + (", inplace=True" if self.inplace else "")


class Softshrink(Module):
    """Each element moved towards zero by `lambd`, at most to it."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(Softshrink):
    """Each element, or zero where it is between -`lambd` and `lambd`."""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


class GLU(Module):
    """The first half of a dimension, times the sigmoid of the second half."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class AlongDim(Module):
    """What the kinds of softmax share: the dimension they work along."""

    dim: int | None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(AlongDim):
    """Exponentials divided by their sum along a dimension."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim)


class LogSoftmax(AlongDim):
    """Logarithm of the softmax along a dimension."""

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim)


class Softmin(AlongDim):
    """Softmax of the negated input: the smallest element gets the largest share."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim)


class Softmax2d(Module):
    """Softmax over the channels of an image: `(N, C, H, W)` or `(C, H, W)`."""

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)


# loaded when asked for: it needs the layers, which need this file
__getattr__ = names_of("rushlight.nn.modules.activation", (), {"MultiheadAttention": "nn.modules.multihead_attention"})
