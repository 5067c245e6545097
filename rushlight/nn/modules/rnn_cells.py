"""Recurrent cells: one step of a recurrent layer."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.creation.filled import empty, zeros
from rushlight.core.object.tensor import Tensor
from rushlight.nn import init
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.ops.sequences.recurrent import cells


def each_state(states: Any, change: Any) -> Any:
    return tuple([change(each) for each in states]) if isinstance(states, (tuple, list)) else change(states)


class RNNCellBase(Module):
    """What recurrent cells share: two weights and two biases."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        make = lambda *shape: Parameter(empty(shape, device=device, dtype=dtype))
        self.weight_ih = make(rows, input_size)
        self.weight_hh = make(rows, hidden_size)
        self.register_parameter("bias_ih", make(rows) if bias else None)
        self.register_parameter("bias_hh", make(rows) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the weights anew."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        bias = self.__dict__.get("bias", True)  # which a program may have deleted
        shown = f"{self.input_size}, {self.hidden_size}" + ("" if bias is True else f", bias={bias}")
        return shown if nonlinearity == "tanh" else f"{shown}, nonlinearity={nonlinearity}"

    def step(self, function: Any, input: Tensor, hx: Any, states: int = 1) -> Any:
        """One step, of a batch or of a single vector."""
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        given = [] if hx is None else [hx] if states == 1 else hx
        for place, each in enumerate(given):
            if each.ndim not in (1, 2):
                what = "hidden" if states == 1 else f"hx[{place}]"
                raise ValueError(f"{name}: Expected {what} to be 1D or 2D, got {each.ndim}D instead")
        batched = input.ndim == 2
        input = input if batched else input.unsqueeze(0)
        if hx is None:
            first = zeros(len(input), self.hidden_size, dtype=input.dtype)
            given = [first] * states
        elif not batched:
            given = [each.unsqueeze(0) for each in given]
        found = function(
            input, given[0] if states == 1 else given, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        )
        return found if batched else each_state(found, lambda state: state.squeeze(0))


class RNNCell(RNNCellBase):
    """One step of a plain recurrent layer: `(B, I)` and the state `(B, H)` give the next state."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self.step(getattr(cells, f"rnn_{self.nonlinearity}_cell"), input, hx)


class LSTMCell(RNNCellBase):
    """One step of an LSTM: `(B, I)` and the pair (state, cell), each `(B, H)`, give the next pair."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        return self.step(cells.lstm_cell, input, hx, states=2)


class GRUCell(RNNCellBase):
    """One step of a GRU: `(B, I)` and the state `(B, H)` give the next state."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self.step(cells.gru_cell, input, hx)
