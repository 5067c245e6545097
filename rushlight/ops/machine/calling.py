"""Calling habits: arguments under NumPy's names, those that are missing, and options that are no bools."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import CO_VARARGS
from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.errors.callsite import place_words, position_words
from rushlight.errors.warning import warn
from rushlight.ops.machine.signature import REQUIRED, names_of, parameters_of

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op
    from rushlight.ops.machine.signature import Parameter

# torch takes NumPy's names for these too
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
NUMPY_NAMES |= {"axis0": "dim0", "axis1": "dim1"}
# how the names of inner ops end, which the function of the stem is made of
INNER = re.compile(r"_(along|all|as_\w+)$")
# options that torch only asks for their truth
LOOSE = set("antialias center full get_infos hard inplace return_indices swap sym".split())
LOOSE_PLACES = ("masked.", "nn.functional.multi_head")
# but for these, and what it takes None for
STRICT = {
    ("istft", "center"),
    ("masked.logsumexp", "keepdim"),
    ("nn.functional.poisson_nll_loss", "full"),
    ("nn.functional.triplet_margin_loss", "swap"),
}
MAY_BE_NONE = {"pin_memory", "requires_grad", "stable"}
# what torch writes in Python takes its own names only
PYTHON_WRITTEN = set(
    "align_tensors atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist "
    "chain_matmul einsum istft lobpcg lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique "
    "unique_consecutive unravel_index vander".split()
)


# functions of torch.nn.functional that torch writes in C++
NATIVE_FUNCTIONALS = set(
    "adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear channel_shuffle conv1d conv2d conv3d conv_tbc "
    "conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity gelu hardshrink istft linear logsigmoid "
    "native_channel_shuffle one_hot pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu "
    "scaled_dot_product_attention softplus softshrink".split()
)
# modules whose functions torch knows by the module's name too: `linalg_norm`
PREFIXED = {"linalg", "fft", "special"}


# numbers that torch still takes by position, before or after the first tensor: `x.add_(2, y)` is `x.add_(y, alpha=2)`
OLD_NUMBERS = dict.fromkeys(("addmm", "addmv", "addr", "addbmm", "baddbmm"), ("beta", "alpha"))
OLD_NUMBERS |= dict.fromkeys(("add", "sub"), ("alpha",)) | dict.fromkeys(("addcmul", "addcdiv"), ("value",))
# forms that were warned of
warned: set[str] = set()


class Absent:
    """Stands for an argument that was not given."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "absent"


ABSENT = Absent()


def is_python_written(op: Op) -> bool:
    """Whether torch's function is one of Python, which checks less and knows no other names."""
    return op.name.startswith("nn.functional.") or op.name in PYTHON_WRITTEN


def hands_on(op: Op) -> bool:
    """Whether a function of Python stands before torch's parser."""
    return is_python_written(op) and op.name.removeprefix("nn.functional.") not in NATIVE_FUNCTIONALS


def parser_name(op: Op) -> str:
    """The name under which torch complains of an op's arguments."""
    module, _, name = op.name.rpartition(".")
    return f"{module}_{name}" if module in PREFIXED else public_name(name)


def public_name(name: str) -> str:
    """What users know an inner op by: `max` for `_max_along`, `mul` for one under another node's name."""
    return INNER.sub("", name.lstrip("_")) if name.startswith("_") else name


def required(op: Op) -> tuple[str, ...]:
    """The parameters that have no default: the first ones."""
    return tuple([each.name for each in parameters_of(op.body) if each.default is REQUIRED and not each.keyword])


def argument_words(op: Op, name: str, place: int, keyword: bool = False, form: str = "") -> str:
    """`cat(): argument 'dim' (position 2)`; without the position where the argument was given by name."""
    if keyword:
        where = ""
    elif hands_on(op):
        # torch hands the arguments on to another function by their positions
        where = f" (position {place + 1})"
    else:
        function = f"{op.name}{form}"
        # in place the tensor itself has been left out already
        method = not form and hasattr(Tensor, function)
        where = place_words(function, name, place, required(op)) if method else position_words(name, place + 1)
    return f"{parser_name(op)}{form}(): argument '{name}'{where}"


def again(op: Op, function: Callable, values: tuple, rest: dict[str, Any]) -> Any:
    """The call once more, with what came under NumPy's names; the TypeError of what is missing or unknown."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    given = dict(zip(names, values, strict=False))
    many = values[len(names)] if code.co_flags & CO_VARARGS else ()
    if many and op.name in OLD_NUMBERS:
        options = {name: given[name] for name in names[code.co_argcount :]}
        return in_old_order(op, function, [*values[: code.co_argcount], *many], options | rest)
    for name, value in rest.items():
        place = NUMPY_NAMES.get(name, "")
        if given.get(place, ABSENT) is not default_of(function, place) or is_python_written(op) or place not in given:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'")
        given[place] = value
    positional = [given.pop(name) for name in names[: code.co_argcount]]
    return function(*positional, *many, **given)


def in_old_order(op: Op, function: Callable, values: list, options: dict[str, Any]) -> Any:
    """The call with numbers by name that came by position; torch says once that this is an old form."""
    numbers = [each for each in values if not isinstance(each, Tensor)]
    tensors = [each for each in values if isinstance(each, Tensor)]
    names, name = OLD_NUMBERS[op.name], function.__name__
    count = function.__code__.co_argcount
    if len(tensors) != count or len(numbers) > len(names) or not all([type(each) in (int, float) for each in numbers]):
        raise TypeError(
            f"{name}() takes {count} positional arguments but {len(values)} were given: give "
            f"{' and '.join(names)} by name"
        )
    if name not in warned:
        warned.add(name)
        old = ", ".join([f"Number {each}" for each in names])
        new = ", ".join([f"Number {each} = 1" for each in names])
        tensor_names = ", ".join([f"Tensor {each}" for each in function.__code__.co_varnames[1:count]])
        warn(
            f"This overload of {name} is deprecated:\n\t{name}({old}, {tensor_names})\n"
            f"Consider using one of the following signatures instead:\n\t{name}({tensor_names}, *, {new})"
        )
    return function(*tensors, **(options | dict(zip(names, numbers, strict=False))))


def missing(op: Op, given: dict[str, Any]) -> TypeError | None:
    """torch's error where an argument was not given; bodies stumble over what stands for it."""
    lacking = [each for each, value in given.items() if value is ABSENT]
    if not lacking:
        return None
    if hands_on(op):
        return TypeError(f"{parser_name(op)}() {python_words(lacking)}")
    return not_given(parser_name(op), *lacking)


def not_given(name: str, *lacking: str) -> TypeError:
    """The words of torch's parser, which has the plural the wrong way round."""
    named = ", ".join([f'"{each}"' for each in lacking])
    arguments = "arguments" if len(lacking) == 1 else "argument"
    return TypeError(f"{name}() missing {len(lacking)} required positional {arguments}: {named}")


def python_words(lacking: list[str]) -> str:
    """What Python itself says of a call without these arguments."""
    named = [f"'{each}'" for each in lacking]
    if len(named) == 1:
        return f"missing 1 required positional argument: {named[0]}"
    last = f"{',' if len(named) > 2 else ''} and {named[-1]}"
    return f"missing {len(named)} required positional arguments: {', '.join(named[:-1])}{last}"


def default_of(function: Callable, name: str) -> Any:
    """What a parameter is when it was not given."""
    code = function.__code__
    named = code.co_varnames[: code.co_argcount]
    if name in named:
        return function.__defaults__[named.index(name) - code.co_argcount]
    return (function.__kwdefaults__ or {}).get(name, ABSENT)


def odd_flag(op: Op, place: int, value: Any) -> Any:
    """An option that is neither True nor False, and refused where torch looks at it."""
    name = names_of(op.body)[place]
    if value is None and name in MAY_BE_NONE:
        return False
    if (name in LOOSE or op.name.startswith(LOOSE_PLACES)) and (op.name, name) not in STRICT:
        return value
    from rushlight.ops.machine.option_kinds import wrong_option

    raise wrong_option(op, {name: value})


def is_flag(parameter: Parameter) -> bool:
    """Whether an option is True or False."""
    return isinstance(parameter.default, bool) and parameter.name != "inplace"
