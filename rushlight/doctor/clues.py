"""Clues: why a call gave no finite number, read off its arguments, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rushlight.core.object.tensor import Tensor
from rushlight.doctor.trace import is_in_place, tensors_in

LOGARITHMS = {"log", "log2", "log10", "log1p", "xlogy", "logit"}
ROOTS = {"sqrt", "rsqrt"}
DIVISIONS = {"div", "true_divide", "reciprocal", "rdiv", "remainder", "fmod"}
EXPONENTIALS = {"exp", "expm1", "cosh", "sinh", "exp2"}
INVERSES = {"acos", "asin", "atanh", "arccos", "arcsin", "arctanh", "acosh", "arccosh"}
SPREADS = {"std", "var", "std_mean", "var_mean"}
SOFTMAXES = {"softmax", "log_softmax", "multi_head_attention_forward", "scaled_dot_product_attention"}
POWERS = {"pow", "float_power"}
MEANS = {"mean", "cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}

GENERAL = "Keep its inputs where the result is finite: scale them, clamp them, or add a small constant."


@dataclass(slots=True)
class Clue:
    """What was found in the arguments, as words for a message, and the repair."""

    words: str
    fix: str


def clue_of(name: str, args: tuple, result: np.ndarray) -> Clue:
    """Words on a call whose result is the first that is not finite."""
    if is_in_place(name):
        # what it was given is overwritten
        return Clue(f"gave {shown(result)}", GENERAL)
    arrays = [each._array for each in tensors_in(args) if each._array.dtype.kind in "fiub"]
    for names, words in BY_NAME:
        if name in names and (arrays or names is DIVISIONS):
            found = words(name, args, arrays, result)
            if found is not None:
                return found
    what = shown(result)
    if not arrays:
        return Clue(f"holds {what}", "Clean the data first: drop those rows, or torch.nan_to_num(x).")
    return Clue(f"gave {what} from finite inputs of up to {largest(arrays):.3g}", GENERAL)


def clue_at_singular_point(name: str, args: tuple) -> Clue | None:
    """Words on a call whose arguments alone show that its result is not finite."""
    arrays = [each._array for each in tensors_in(args) if each._array.dtype.kind in "fiub"]
    for names, words in BY_NAME[:2]:
        if name in names and arrays:
            return words(name, args, arrays, np.array(np.nan))
    return None


def shown(array: np.ndarray) -> str:
    """`3 NaN, the first at [0, 2]`; of a table also the column, where it is one."""
    bad = ~np.isfinite(array)
    count = int(bad.sum())
    what = "NaN" if np.isnan(array).any() else "-inf" if (array == -np.inf).any() else "inf"
    if not array.ndim:
        return what
    places = np.argwhere(bad)
    if array.ndim == 2 and array.shape[1] > 1 and len(set(places[:, 1].tolist())) == 1 and count > 1:
        return f"{count} {what} in column {int(places[0, 1])}"
    return f"{count} {what}, the first at {places[0].tolist()}"


def largest(arrays: list[np.ndarray]) -> float:
    return max([float(np.abs(each.astype(np.float64)).max(initial=0)) for each in arrays])


def counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def below_its_domain(name: str, args: tuple, arrays: list[np.ndarray], result: np.ndarray) -> Clue | None:
    """A logarithm or a root of what is zero or negative."""
    low = arrays[-1] if name == "xlogy" else arrays[0]
    bound = -1 if name == "log1p" else 0
    at, under = int((low == bound).sum()), int((low < bound).sum())
    if name == "logit":
        at += int((low == 1).sum())
    if not at and not under:
        return None
    least = f"min {float(low.min()):.3g}"
    words = counted(under, "value below", "values below") if under else counted(at, "value of", "values of")
    edge = "0 or 1" if name == "logit" else str(bound)
    fix = (
        "Take the logarithm where the values are made: F.log_softmax(logits, dim) or F.logsigmoid(logits); or clamp: "
        f"torch.{name}(x.clamp_min(1e-8))."
        if name in LOGARITHMS
        else f"Keep it positive: torch.{name}(x.clamp_min(0) + 1e-8)."
    )
    return Clue(f"was given {words} {edge} ({least}) and gave {shown(result)}", fix)


def divided(name: str, args: tuple, arrays: list[np.ndarray], result: np.ndarray) -> Clue | None:
    divisor: Any = args[0] if name in ("reciprocal", "rdiv") else args[1] if len(args) > 1 else None
    values = divisor._array if isinstance(divisor, Tensor) else np.asarray(divisor)
    if values.dtype == object or not (values == 0).any():
        return None
    count = counted(int((values == 0).sum()), "zero", "zeros")
    return Clue(f"divided by {count} and gave {shown(result)}", "Add a small constant to the divisor: x / (y + 1e-8).")


def overflowed(name: str, args: tuple, arrays: list[np.ndarray], result: np.ndarray) -> Clue | None:
    most = float(np.max(arrays[0], initial=-np.inf))
    return Clue(
        f"was given values of up to {most:.4g}, and {name} of that is no {result.dtype} any more",
        "Stay with logarithms (torch.logsumexp, F.softplus, F.log_softmax), or clamp: torch.exp(x.clamp(max=20)).",
    )


def outside(name: str, args: tuple, arrays: list[np.ndarray], result: np.ndarray) -> Clue | None:
    most = largest(arrays[:1])
    return Clue(
        f"was given values of up to {most:.9g}, where it is not finite",
        f"Keep away from the bound: torch.{name}(x.clamp(-1 + 1e-6, 1 - 1e-6)).",
    )


def spread_of_one(name: str, args: tuple, arrays: list[np.ndarray], result: np.ndarray) -> Clue | None:
    return Clue(
        f"was taken over one element (of shape {list(arrays[0].shape)}), for which it is not defined",
        f"Skip it for a single element, or write x.{name}(correction=0).",
    )


def all_masked(name: str, args: tuple, arrays: list[np.ndarray], result: np.ndarray) -> Clue | None:
    return Clue(
        f"gave {shown(result)}: a row in which every element is masked has no largest one",
        "Leave one element of each row unmasked, or put zeros in afterwards: torch.nan_to_num(weights).",
    )


def odd_power(name: str, args: tuple, arrays: list[np.ndarray], result: np.ndarray) -> Clue | None:
    exponent = args[1] if len(args) > 1 else None
    if isinstance(exponent, Tensor) or not isinstance(exponent, (int, float)):
        return None
    base = arrays[0]
    if exponent < 0 and (base == 0).any():
        return Clue(f"raised 0 to the power {exponent}", f"Add a small constant: (x + 1e-8) ** {exponent}.")
    if exponent != int(exponent) and (base < 0).any():
        return Clue(f"raised {float(base.min()):.3g} to the power {exponent}", f"Write x.clamp_min(0) ** {exponent}.")
    return None


def mean_of_nothing(name: str, args: tuple, arrays: list[np.ndarray], result: np.ndarray) -> Clue | None:
    if not arrays[0].size:
        return Clue(
            f"was taken of an empty tensor of shape {list(arrays[0].shape)}", "Skip the batch when nothing is left."
        )
    if name in ("cross_entropy", "nll_loss") and len(arrays) > 1 and len(set(arrays[1].reshape(-1).tolist())) == 1:
        return Clue(
            f"averaged over no target: all of them are {arrays[1].reshape(-1)[0]}, which it ignores",
            'Skip such batches, or take reduction="sum" and divide by the number of targets, at least 1.',
        )
    return None


Words = Callable[[str, tuple, list, np.ndarray], Clue | None]
BY_NAME: list[tuple[set[str], Words]] = [
    (LOGARITHMS | ROOTS, below_its_domain),
    (DIVISIONS, divided),
    (EXPONENTIALS, overflowed),
    (INVERSES, outside),
    (SPREADS, spread_of_one),
    (SOFTMAXES, all_masked),
    (POWERS, odd_power),
    (MEANS, mean_of_nothing),
]


AT_ZERO = {
    "sqrt": "torch.sqrt(x + 1e-8)",
    "rsqrt": "torch.rsqrt(x + 1e-8)",
    "norm": "(x.pow(2).sum(dim) + 1e-8).sqrt()",
    "vector_norm": "(x.pow(2).sum(dim) + 1e-8).sqrt()",
    "pow": "(x + 1e-8) ** p",
    "log": "torch.log(x.clamp_min(1e-8))",
    "std": "(x.var(dim) + 1e-8).sqrt()",
    "div": "x / (y + 1e-8)",
    "reciprocal": "1 / (x + 1e-8)",
    "atan2": "torch.atan2(y, x + 1e-8)",
    "acos": "torch.acos(x.clamp(-1 + 1e-6, 1 - 1e-6))",
    "asin": "torch.asin(x.clamp(-1 + 1e-6, 1 - 1e-6))",
}


def clue_of_gradient(name: str, found: Any) -> Clue:
    """Words on the gradient of a call: where it is not finite, and what the call was given there."""
    if found.leaving is None:
        return Clue("has a backward of its own, which gives what is not finite", "Look at its backward.")
    array = found.leaving._array
    where = np.argwhere(~np.isfinite(array))
    what = "NaN" if np.isnan(array).any() else "infinite"
    at = f" at {where[0].tolist()}" if array.ndim else ""
    given = value_at(found.node, found.edge, where[0] if array.ndim else None, array.shape)
    words = f"is {what}{at}" + (f", where its input is {given:.3g}" if given is not None else "")
    arriving = next((each._array for each in found.arriving if isinstance(each, Tensor)), None)
    guarded = arriving is not None and arriving.shape == array.shape and array.ndim and not arriving[tuple(where[0])]
    fix = f"Keep away from that point: {AT_ZERO[name]}." if name in AT_ZERO else GENERAL
    if guarded:
        words += ": a zero gradient from torch.where or a mask times infinity is NaN"
        fix = f"Choose before the call: torch.{name}(torch.where(good, x, 1.0)), then torch.where(good, result, other)."
    return Clue(words, fix)


def value_at(node: Any, edge: int, index: Any, shape: tuple) -> float | None:
    """The element of the input that an edge leads to, if the node saved it; a root is zero where its result is."""
    for (kind, position), value in zip(node.plan.sources, node.saved or (), strict=False):
        if not isinstance(value, Tensor):
            continue
        is_input = kind in ("argument", "memory") and not node.plan.has_lists and node.plan.inputs[edge] == position
        is_root = kind == "result" and node.op.name in ("sqrt", "norm", "vector_norm", "linalg_vector_norm", "std")
        if is_input or is_root:
            if value._array.shape == shape:
                return float(value._array[tuple(index)] if index is not None else value._array)
            if value._array.size == 1:
                return float(value._array.reshape(-1)[0])
    return None
