"""Fixes: what would most likely help, from the shapes and dtypes that a failing call met, for the line that raises."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Shape = Sequence[int]


def broadcasting(one: Shape, two: Shape, names: tuple[str, str] = ("a", "b")) -> str:
    """For two shapes that do not broadcast."""
    one, two = tuple(one), tuple(two)
    if len(one) == len(two) == 2 and one == two[::-1]:
        return f"transpose one of them: {names[1]}.T"
    for short, long, name in ((one, two, names[0]), (two, one, names[1])):
        if short and len(short) < len(long) and short == long[: len(short)]:
            missing = ", None" * (len(long) - len(short))
            return f"give {name} the missing trailing dimension: {name}[...{missing}] (or unsqueeze(-1))"
        if len(short) > len(long) and short[-1] == 1 and short[:-1] == long:
            return f"drop the last dimension of {name}: {name}.squeeze(-1)"
    return "two sizes go together if they are equal, or if one of them is 1"


def targets(one: Shape, two: Shape) -> str:
    """For a loss whose input and target have different shapes."""
    if len(one) == len(two) + 1 and one[-1] == 1:
        return "drop the last dimension of the input: input.squeeze(-1)"
    if len(two) == len(one) + 1 and two[-1] == 1:
        return "drop the last dimension of the target: target.squeeze(-1)"
    if math.prod(one) == math.prod(two):
        return "bring the target into the input's shape: target.view_as(input)"
    return "the input and the target need one value for each other"


def products(one: Shape, two: Shape) -> str | None:
    """For two matrices whose inner sizes differ."""
    if len(one) < 2 or len(two) < 2:
        return None
    if one[-1] == two[-1]:
        return "transpose the second: a @ b.T"
    if one[-2] == two[-2]:
        return "transpose the first: a.T @ b"
    if one[-2] == two[-1]:
        return "swap them: b @ a"
    return "the last size of the first must be the second-to-last of the second"


def features(given: Shape, weight: Shape) -> str:
    """For the input of a linear layer."""
    wanted = weight[-1] if weight else 1
    if len(given) > 2 and math.prod(given[1:]) == wanted:
        return "flatten all but the first dimension of the input: x.flatten(1)"
    if len(given) == 2 and given[0] == wanted:
        return "transpose the input, whose first dimension has the size that the layer expects: x.T"
    if wanted == 1:
        return "give the input a last dimension of 1: x.unsqueeze(-1)"
    have = given[-1] if given else 1
    return f"make the layer with in_features={have}, or give it inputs whose last dimension is {wanted}"


def vectors(matrix: Shape, vector: Shape) -> str | None:
    """For a matrix and a vector whose sizes differ."""
    if len(matrix) == 2 and vector and matrix[0] == vector[0]:
        return "transpose the matrix: a.T @ b"
    return None


def joined(shapes: Sequence[tuple[int, ...]]) -> str | None:
    """For tensors that `cat` cannot put one after another."""
    first = shapes[0]
    for dim in range(len(first)):
        rest = {each[:dim] + each[dim + 1 :] for each in shapes if len(each) == len(first)}
        if len(rest) == 1:
            return f"they fit along dimension {dim}: torch.cat([...], dim={dim})"
    return None


def sizes(shape: Shape) -> str:
    """For sizes that do not hold the elements of a shape."""
    return f"the sizes must multiply to {math.prod(shape)}, the elements of shape {list(shape)}; one of them may be -1"


# for positions that are no whole numbers
INDICES = "indices are whole numbers: convert them with .long()"
FLOATS = {"float16", "bfloat16", "float32", "float64"}


def one_dtype(*kinds: Any) -> str | None:
    """How to bring operands of different dtypes, NumPy's or torch's, together."""
    names = {each.name for each in kinds if each is not None}
    if len(names) < 2:
        return None
    is_real = not any([each.startswith("complex") for each in names])
    if "float64" in names and is_real:
        return (
            "convert the float64 one with .float(); float64 usually comes from a NumPy array or scalar: "
            "torch.tensor(x, dtype=torch.float32)"
        )
    if names <= FLOATS or not is_real:
        return "convert one of them to the other's dtype: b.to(a.dtype)"
    return "convert the whole numbers with .float()"


def conversion(scalar: str) -> str | None:
    """How to bring a dtype, by torch's other name for it, to one that kernels take."""
    if scalar == "Bool":
        return "convert it first: x.float() or x.long()"
    return "convert it first: x.float()" if scalar in ("Byte", "Char", "Short", "Int", "Long") else None
