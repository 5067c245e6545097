"""Cures: what would most likely help after a call that failed, from its words and the shapes of its tensors."""

from __future__ import annotations

import math
from collections.abc import Callable

from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor

Shape = tuple[int, ...]


def cure(words: str, tensors: list[Tensor]) -> str | None:
    """The cure for a complaint that begins or goes on with known words."""
    for known, function in CURES.items():
        if known in words:
            return function([each._array.shape for each in tensors])
    return None


def broadcasting(shapes: list[Shape]) -> str | None:
    """For two shapes that do not broadcast: a, then b."""
    if len(shapes) < 2:
        return None
    one, two = shapes[:2]
    if len(one) == len(two) == 2 and one == two[::-1]:
        return "transpose one of them: b.T"
    for short, long, name in ((one, two, "a"), (two, one, "b")):
        if short and len(short) < len(long) and short == long[: len(short)]:
            missing = ", None" * (len(long) - len(short))
            return f"give {name} the missing trailing dimension: {name}[...{missing}] (or unsqueeze(-1))"
        if len(short) > len(long) and short[-1] == 1 and short[:-1] == long:
            return f"drop the last dimension of {name}: {name}.squeeze(-1)"
    return "two sizes go together if they are equal, or if one of them is 1"


def targets(shapes: list[Shape]) -> str:
    """For a loss whose input and target have different shapes."""
    one, two = shapes[:2]
    if len(one) == len(two) + 1 and one[-1] == 1:
        return "drop the last dimension of the input: input.squeeze(-1)"
    if len(two) == len(one) + 1 and two[-1] == 1:
        return "drop the last dimension of the target: target.squeeze(-1)"
    if math.prod(one) == math.prod(two):
        return "bring the target into the input's shape: target.view_as(input)"
    return "the input and the target need one value for each other"


def products(shapes: list[Shape]) -> str | None:
    """For two matrices whose inner sizes differ."""
    if len(shapes) < 2:
        return None  # the product is inside a function of one tensor
    one, two = [each for each in shapes if len(each) > 1][-2:] if len(shapes) > 2 else shapes
    if len(one) == 1 or len(two) == 1:
        return None
    if one[-1] == two[-1]:
        return "transpose the second: a @ b.T"
    if one[-2] == two[-2]:
        return "transpose the first: a.T @ b"
    if one[-2] == two[-1]:
        return "swap them: b @ a"
    return "the last size of the first must be the second-to-last of the second"


def features(shapes: list[Shape]) -> str:
    """For the input of a linear layer."""
    given, weight = shapes[:2]
    wanted = weight[-1] if weight else 1
    if len(given) > 2 and math.prod(given[1:]) == wanted:
        return "flatten all but the first dimension of the input: x.flatten(1)"
    if len(given) == 2 and given[0] == wanted:
        return "transpose the input, whose first dimension has the size that the layer expects: x.T"
    if wanted == 1:
        return "give the input a last dimension of 1: x.unsqueeze(-1)"
    have = given[-1] if given else 1
    return f"make the layer with in_features={have}, or give it inputs whose last dimension is {wanted}"


def vectors(shapes: list[Shape]) -> str | None:
    matrix, vector = shapes[-2:]
    if len(matrix) == 2 and vector and matrix[0] == vector[0]:
        return "transpose the matrix: a.T @ b"
    return None


def classes(shapes: list[Shape]) -> str:
    """For a target of `cross_entropy` that names no class."""
    count = shapes[0][1 if len(shapes[0]) > 1 else 0]
    return f"the input has {count} classes, numbered from 0 to {count - 1}"


def joined(shapes: list[Shape]) -> str | None:
    """For tensors that `cat` cannot put one after another."""
    first = shapes[0]
    for dim in range(len(first)):
        rest = {each[:dim] + each[dim + 1 :] for each in shapes if len(each) == len(first)}
        if len(rest) == 1:
            return f"they fit along dimension {dim}: torch.cat([...], dim={dim})"
    return None


def ranks(shapes: list[Shape]) -> str:
    return "give the smaller one the missing dimension, with unsqueeze(0) for one more row"


def sizes(shapes: list[Shape]) -> str:
    """For a shape that does not hold the elements."""
    count = math.prod(shapes[0])
    return f"the sizes must multiply to {count}, the elements of shape {list(shapes[0])}; one of them may be -1"


def positions(shapes: list[Shape]) -> str:
    return "indices are whole numbers: convert them with .long()"


# words of a complaint: the cure
CURES: dict[str, Callable[[list[Shape]], str | None]] = {
    "The size of tensor a": broadcasting,
    "the layer expects": features,
    "cannot be multiplied": products,
    "Expected size for first two dimensions of batch2": products,
    "size mismatch, got input": vectors,
    "Sizes of tensors must match except": joined,
    "Tensors must have same number of dimensions": ranks,
    "cannot be concatenated": lambda shapes: "join numbers with torch.stack([...])",
    "stack expects each tensor": lambda shapes: "torch.cat joins tensors of different lengths",
    "is invalid for input of size": sizes,
    "Expected dtype int32/int64 for index": positions,
    "expected target dtype": lambda shapes: (
        "class numbers are int64: target.long(); probabilities have the input's shape"
    ),
    "Expected input batch_size": lambda shapes: "give each row of the input one target",
    "is out of bounds.": classes,
    "have one of the following scalar types: Long, Int": positions,
    "not implemented for 'Long'": lambda shapes: "convert it first: x.float()",
    "not implemented for 'Int'": lambda shapes: "convert it first: x.float()",
    "not implemented for 'Bool'": lambda shapes: "convert it first: x.float() or x.long()",
    "that is different to the input size": targets,
    "must be the same as input size": targets,
}


def dtype_cure(tensors: list[Tensor]) -> str | None:
    """How to bring operands of different dtypes together."""
    kinds = {each.dtype for each in tensors}
    if len(kinds) < 2:
        return None
    if dtypes.float64 in kinds:
        return (
            "convert the float64 one with .float(); float64 usually comes from a NumPy array or scalar: "
            "torch.tensor(x, dtype=torch.float32)"
        )
    if all(kind.is_floating_point for kind in kinds):
        return "convert one of them to the other's dtype: b.to(a.dtype)"
    return "convert the whole numbers with .float()"
