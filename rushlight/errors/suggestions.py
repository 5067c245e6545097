"""Suggestions: what a program may have meant by a name that is not there."""

from __future__ import annotations

import functools
import sys
from difflib import get_close_matches

from rushlight.errors.absent import REST, clause, planned, reason

# where a name that stands in another place may be, as users write these
PLACES = (
    "",
    "nn.functional",
    "nn",
    "optim",
    "optim.lr_scheduler",
    "linalg",
    "distributions",
    "special",
    "fft",
    "nn.init",
    "nn.utils",
    "autograd",
    "utils",
)


def explained(message: str, inside: str) -> str:
    """The message of an error for a name, given without `torch.`, with the reason or with what may have been meant."""
    if reason(inside) is None and planned(inside) in (None, REST):
        found = suggestion(inside)
        if found:
            return f"{message}: {found}"
    return f"{message}: it is not in Rushlight" + clause(inside)


def suggestion(inside: str) -> str:
    """The same name in another place, or one in this place that looks like it; empty if there is none."""
    place, _, name = inside.rpartition(".")
    elsewhere = next((each for each in PLACES if each != place and name in names_in(each)), None)
    if elsewhere is not None:
        return f"it is {full(elsewhere, name)}"
    if name in names_in("Tensor"):
        return f"it is a method, Tensor.{name}"
    found = nearest(name, names_in(place))
    return f"did you mean {full(place, found)}?" if found else ""


def nearest(name: str, names: list[str]) -> str | None:
    """The name that looks most like one: capitals count less than letters."""
    folded = {each.lower(): each for each in sorted(names, reverse=True)}
    close = get_close_matches(name.lower(), folded, 1, 0.75)
    return folded[close[0]] if close else None


def names_in(place: str) -> list[str]:
    """The public names of a place."""
    if place == "Tensor":
        found = dir(sys.modules["rushlight"].Tensor)
    else:
        # by attributes: what torch calls `ops.aten` stands elsewhere
        module = (
            functools.reduce(getattr, place.split("."), sys.modules["rushlight"]) if place else sys.modules["rushlight"]
        )
        found = getattr(module, "__all__", None) or dir(module)
    return [each for each in found if not each.startswith("_")]


def full(place: str, name: str) -> str:
    return f"torch.{place}.{name}" if place else f"torch.{name}"
