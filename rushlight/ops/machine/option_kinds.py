"""Option kinds: what torch's parser wants an option to be, and its words where it is something else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.calling import argument_words
from rushlight.ops.machine.signature import Parameter, parameters_of

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op


def wrong_option(op: Op, given: dict[str, Any]) -> Exception | None:
    """What torch would have said at once about an option that is not of its default's kind."""
    if op.name.startswith("_"):
        return None  # the public function that calls it has the user's options
    for place, parameter in enumerate(parameters_of(op.body)):
        name = parameter.name
        if name not in given:
            continue
        value, wanted = given[name], kind_wanted(op, parameter)
        wrong = wrong_kind(op, parameter, value, wanted, given)
        if wrong is not None:
            kind, words = wrong
            return kind(words.format(argument_words(op, name, place, parameter.keyword)))
    return None


def odd_number(op: Op, place: int, value: Any) -> None:
    """Refuse a list, or another object that NumPy would make an array of, where torch takes one number."""
    if not isinstance(value, (int, float, complex, np.generic, Tensor, type(None))):
        wrong = wrong_option(op, {parameters_of(op.body)[place].name: value})
        if wrong is not None:
            raise wrong


def is_real(parameter: Parameter) -> bool:
    """Whether an option is a number that need not be whole."""
    if isinstance(parameter.default, bool) or "tuple" in str(parameter.annotation):
        return False
    return isinstance(parameter.default, float) or (
        isinstance(parameter.default, int) and parameter.name in REAL_OPTIONS
    )


def wrong_kind(
    op: Op, parameter: Parameter, value: Any, wanted: str | None, given: dict[str, Any]
) -> tuple[type[Exception], str] | None:
    """The error for an argument of another kind, and its words around where it stands."""
    name = parameter.name
    if op.is_composed and is_no_tensor(name, value, given):
        return TypeError, f"{{}} must be Tensor, not {kind_name(value)}"
    several = "dim" in name and isinstance(value, (list, tuple)) and op.name not in ONE_DIM
    if value is not parameter.default and wanted is not None and not KINDS[wanted](value) and not several:
        return TypeError, f"{{}} must be {wanted}, not {kind_name(value)}"
    if type(value) is int and not -(2**63) <= value < 2**64 and not parameter.is_tensor:
        # torch reads the two with different functions
        return (
            OverflowError if wanted == "Number" else ValueError,
            f"Overflow when unpacking long long: {{}} is {value}",
        )
    return None


def is_no_tensor(name: str, value: Any, given: dict[str, Any]) -> bool:
    """Whether a composed function got something else where torch takes tensors only."""
    if value is None or isinstance(value, Tensor):
        return False
    # beside another operand a number may stand for the input
    return name in TENSORS or (name == "input" and not ("other" in given and is_number(value)))


def kind_wanted(op: Op, parameter: Parameter) -> str | None:
    """What an option must be: by its name, or from its annotation or its default."""
    default, name = parameter.default, parameter.name
    if f"{op.name}.{name}" in FLOATS:
        return "float"
    if name in DIMS and op.name in ONE_DIM:
        return "int"
    if (name == "dim" and op.name in SEVERAL_DIMS) or (name == "s" and op.name.startswith("fft.")):
        return "tuple of ints"
    if name == "norm" and op.name.startswith("fft."):
        return "str"
    if isinstance(default, bool):
        return "bool"
    if default is None and parameter.name in NAMED_KINDS:
        return NAMED_KINDS[parameter.name]
    if any([kind in str(parameter.annotation) for kind in ("tuple", "| Tensor")]):
        return None  # it may be something else too
    if parameter.annotation == "int" or (isinstance(default, int) and parameter.name not in REAL_OPTIONS):
        return "int"
    if isinstance(default, (int, float)):
        return "Number"
    if parameter.annotation == "str" or (isinstance(default, str) and parameter.name not in REAL_OPTIONS):
        return "str"
    return None


# what is always a tensor, and what an option must be that has no default to tell
TENSORS = set("weight bias target running_mean running_var batch1 batch2 mat1 mat2 w_ih w_hh b_ih b_hh".split())
TENSORS |= {"input1", "input2", "mat", "vec"}
NAMED_KINDS = {"n": "int", "N": "int", "eps": "Number", "rcond": "Number", "dtype": "torch.dtype"}
# dimensions, the functions that take one, and those that take several
DIMS = set("dim dim1 dim2 axis start_dim end_dim start end".split())
ONE_DIM = set(
    """
    aminmax argmax argmin argsort cat chunk cosine_similarity cross cummax cummin cumprod cumsum cumulative_trapezoid
    diag_embed diagonal diagonal_scatter diff flatten linalg.cross linalg.diagonal log_softmax logcumsumexp median mode
    nanmedian nn.functional.log_softmax nn.functional.softmax nn.functional.softmin slice_scatter softmax sort
    split_with_sizes stack take_along_dim tensor_split topk trapezoid unbind unsafe_chunk unsafe_split
    unsafe_split_with_sizes unsqueeze
    """.split()
)
SEVERAL_DIMS = set(
    """
    amax amin fft.fftn fft.fftshift fft.hfftn fft.ifftn fft.ifftshift fft.ihfftn fft.irfftn fft.rfftn linalg.vector_norm
    logsumexp nanmean nansum
    """.split()
)
# numbers that may not be complex
FLOATS = set(
    """
    allclose.atol allclose.rtol cosine_similarity.eps isclose.atol isclose.rtol logit.eps nan_to_num.nan
    nan_to_num.neginf nan_to_num.posinf nn.functional.scaled_dot_product_attention.dropout_p
    nn.functional.scaled_dot_product_attention.scale pairwise_distance.eps pairwise_distance.p pdist.p pinverse.rcond
    """.split()
)
# options that may be real numbers although their default is a whole one or a word; torch checks `reduction` itself
REAL_OPTIONS = set(
    "alpha beta dx value p ord q correction margin fill_value min max weight reduction threshold".split()
)


def is_integer(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value._array.size == 1 and value._array.dtype.kind in "ui"
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value._array.ndim == 0
    return isinstance(value, (int, float, complex, np.number, np.bool_))


KINDS: dict[str, Callable[[Any], bool]] = {
    "bool": lambda value: isinstance(value, bool),
    "int": is_integer,
    "Number": is_number,
    "float": lambda value: is_number(value) and not isinstance(value, complex),
    "str": lambda value: isinstance(value, str),
    "tuple of ints": lambda value: (
        all(map(is_integer, value)) if isinstance(value, (list, tuple)) else is_integer(value)
    ),
    "torch.dtype": lambda value: isinstance(value, (dtypes.dtype, type)),
}


def kind_name(value: Any) -> str:
    return "Tensor" if isinstance(value, Tensor) else type(value).__name__
