"""Activations that write over their input where torch has none that do; for the modules' `inplace=True`.

What a gradient needs of the input is copied before the write, so that backward is right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.ops.machine.declare import op
from rushlight.ops.machine.generate import generate
from rushlight.ops.machine.inplace import call_inplace
from rushlight.ops.machine.rules import PROMOTE
from rushlight.ops.pointwise import activations


def over(function: Any, name: str) -> Any:
    """The form of an op that writes its result into its input."""
    return generate(function.op, name, call_inplace, False)


@op(dtype=PROMOTE, name="_softsign", node="DivBackward0", samples=None)
def softsign(input):
    """x / (1 + |x|) for each element x; its slope is found from the result alone."""
    return input / (np.absolute(input) + 1)


softsign.gradient(input=lambda grad, result: grad * (1 - result.abs()).square())

gelu_ = over(activations.gelu, "gelu_")
logsigmoid_ = over(activations.logsigmoid, "logsigmoid_")
softplus_ = over(activations.softplus, "softplus_")
softsign_ = over(softsign, "softsign_")
