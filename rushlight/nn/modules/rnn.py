"""Recurrent layers: states carried along a sequence."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core.creation.filled import empty, zeros
from rushlight.core.object.tensor import Tensor
from rushlight.errors.warning import warn
from rushlight.nn import init
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.rnn_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase, each_state
from rushlight.nn.parameter import Parameter
from rushlight.nn.utils.rnn import PackedSequence
from rushlight.ops.sequences.recurrent import functions

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """The states of a batch in another order; an old name of `index_select`."""
    warn(
        "apply_permutation is deprecated, please use tensor.index_select(dim, permutation) instead",
        FutureWarning,
    )
    return tensor.index_select(dim, permutation)


GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """What recurrent layers share: their weights, and the shapes of inputs and states.

    `mode` is LSTM, GRU, RNN_TANH or RNN_RELU.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        check_options(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        # names only: weights may be replaced or computed by the user (weight_norm, functional_call)
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: self.directions]:
                shapes = self.shapes_of(layer)
                for name, shape in shapes.items():
                    weight = Parameter(empty(shape, device=device, dtype=dtype))
                    self.register_parameter(f"{name}_l{layer}{suffix}", weight)
                self._all_weights.append([f"{name}_l{layer}{suffix}" for name in shapes])
        self.reset_parameters()

    @property
    def directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def visible_size(self) -> int:
        """How many numbers the layer shows of its state."""
        return self.proj_size or self.hidden_size

    def shapes_of(self, layer: int) -> dict[str, tuple[int, ...]]:
        """The weights of one direction of a layer."""
        rows = GATES[self.mode] * self.hidden_size
        width = self.visible_size * self.directions if layer else self.input_size
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, self.visible_size)}
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        return shapes

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Tensor]:
        return [getattr(self, name) for names in self._all_weights for name in names]

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The weights, a list for each direction of each layer."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def __getstate__(self) -> dict[str, Any]:
        # torch keeps the weights in a list too, and misses it in a file that has none
        flat = {"_flat_weights_names": self._flat_weights_names, "_flat_weights": self._flat_weights}
        return {**self.__dict__, **flat}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({name: value for name, value in state.items() if not name.startswith("_flat_weight")})

    def flatten_parameters(self) -> None:
        """Nothing: on a GPU it moves the weights together, on the CPU they may stay where they are."""

    def reset_parameters(self) -> None:
        """Draw the weights anew."""
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        weight = getattr(self, self._all_weights[0][0])
        if input.dtype != weight.dtype:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                f"input.to({weight.dtype}), or convert model: model.to({input.dtype})"
            )
        dims = 3 if batch_sizes is None else 2
        if input.ndim != dims:
            raise RuntimeError(f"input must have {dims} dimensions, got {input.ndim}")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}"
            )

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the hidden states: `(layers * directions, B, H)`."""
        batch = input.shape[0 if self.batch_first else 1] if batch_sizes is None else int(batch_sizes[0])
        return (self.num_layers * self.directions, batch, self.visible_size)

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        if hx.shape != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.shape)))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The states in another order of the batch."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def first_states(self, input: Tensor, batch_sizes: Tensor | None) -> Any:
        """Zeros, where no states are given."""
        return zeros(self.get_expected_hidden_size(input, batch_sizes), dtype=input.dtype, device=input.device)

    def check_dims(self, hx: Any, batched: bool) -> None:
        """Refuse states with another number of dimensions than the input asks for."""
        dims = 3 if batched else 2
        if hx.ndim != dims:
            kind = "batched 3-D" if batched else "unbatched 2-D"
            raise RuntimeError(f"For {kind} input, hx should also be {dims}-D but got {hx.ndim}-D tensor")

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """The states of the last layer at each step, and the last states of every layer."""
        if isinstance(input, PackedSequence):
            return self.forward_packed(input, hx)
        if input.dim() not in (2, 3):
            kind = "RNN" if self.mode.startswith("RNN") else self.mode
            raise ValueError(
                f"{kind}: Expected input to be 2D or 3D, got {input.ndim}D{' tensor' if kind == 'RNN' else ''} instead"
            )
        batched = input.ndim == 3
        if hx is not None:
            self.check_dims(hx, batched)
        if not batched:
            input = input.unsqueeze(0 if self.batch_first else 1)
            hx = None if hx is None else each_state(hx, lambda state: state.unsqueeze(1))
        if hx is None:
            hx = self.first_states(input, None)
        self.check_forward_args(input, hx, None)
        output, hidden = self.run(input, hx)
        if batched:
            return output, hidden
        return output.squeeze(0 if self.batch_first else 1), each_state(hidden, lambda state: state.squeeze(1))

    def forward_packed(self, input: PackedSequence, hx: Any) -> tuple[Any, Any]:
        data, batch_sizes, sorted_indices, unsorted_indices = input
        hx = self.first_states(data, batch_sizes) if hx is None else self.permute_hidden(hx, sorted_indices)
        self.check_forward_args(data, hx, batch_sizes)
        output, hidden = self.run(data, hx, batch_sizes)
        packed = PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices)
        return packed, self.permute_hidden(hidden, unsorted_indices)

    def run(self, input: Tensor, hx: Any, batch_sizes: Tensor | None = None) -> tuple[Tensor, Any]:
        first = (input,) if batch_sizes is None else (input, batch_sizes)
        last = (self.batch_first,) if batch_sizes is None else ()
        function = getattr(functions, self.mode.lower())
        output, *states = function(
            *first,
            hx,
            self._flat_weights,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
            *last,
        )
        return output, tuple(states) if len(states) > 1 else states[0]

    def extra_repr(self) -> str:
        shown = [f"{self.input_size}, {self.hidden_size}"]
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        shown += [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join(shown)


def check_options(
    mode: str, input_size: Any, hidden_size: Any, num_layers: int, bias: Any, batch_first: Any, dropout: Any, proj: int
) -> None:
    """torch's checks of the options of a recurrent layer, in its order."""
    if not isinstance(dropout, (int, float)) or isinstance(dropout, bool) or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed, "
            f"not {dropout!r}"
        )
    if dropout > 0 and num_layers == 1:
        warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
            f"greater than 1, but got dropout={dropout} and num_layers={num_layers}"
        )
    kinds: dict[str, tuple[Any, Any]] = {
        "bias": (bias, bool),
        "batch_first": (batch_first, bool),
        "input_size": (input_size, int),
    }
    kinds["hidden_size"] = hidden_size, int
    for name, (value, kind) in kinds.items():
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        if kind is int and value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if mode not in GATES:
        raise ValueError(f"Unrecognized RNN mode: {mode}")


class RNN(RNNBase):
    """Plain recurrent layers (Elman): `h = tanh(W_ih x + b_ih + W_hh h + b_hh)`, or relu by `nonlinearity`.

    Takes `(T, B, I)`, `(B, T, I)` with `batch_first=True`, or `(T, I)`; gives `(T, B, H)` and the last states.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse_projection(kwargs)
        if len(args) > 3:
            nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class GRU(RNNBase):
    """Layers of gated recurrent units: `(T, B, I)` gives `(T, B, H)` and the last states `(layers, B, H)`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)


def refuse_projection(options: dict) -> None:
    if "proj_size" in options:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class LSTM(RNNBase):
    """Layers of long short-term memory: `(T, B, I)` gives `(T, B, H)` and the last states and cells.

    >>> output, (hidden, cell) = torch.nn.LSTM(4, 8, num_layers=2)(torch.ones(5, 3, 4))
    >>> output.shape, hidden.shape
    (torch.Size([5, 3, 8]), torch.Size([2, 3, 8]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the cells: `(layers * directions, B, H)`."""
        return (*self.get_expected_hidden_size(input, batch_sizes)[:2], self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        self.check_input(input, batch_sizes)
        sizes = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], sizes, "Expected hidden[0] size {}, got {}")
        sizes = self.get_expected_cell_size(input, batch_sizes)
        self.check_hidden_size(hidden[1], sizes, "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        return hx if permutation is None else tuple([each.index_select(1, permutation) for each in hx])

    def first_states(self, input: Tensor, batch_sizes: Tensor | None) -> Any:
        hidden = self.get_expected_hidden_size(input, batch_sizes)
        cell = self.get_expected_cell_size(input, batch_sizes)
        options: dict[str, Any] = {"dtype": input.dtype, "device": input.device}
        return zeros(hidden, **options), zeros(cell, **options)

    def check_dims(self, hx: Any, batched: bool) -> None:
        dims = 3 if batched else 2
        if hx[0].ndim != dims or hx[1].ndim != dims:
            kind = "batched 3-D" if batched else "unbatched 2-D"
            raise RuntimeError(
                f"For {kind} input, hx and cx should also be {dims}-D but got ({hx[0].ndim}-D, {hx[1].ndim}-D) tensors"
            )
