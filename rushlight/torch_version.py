"""torch.torch_version: a version that is text, and compares as a version: "2.13.0" is later than "2.5"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rushlight.core.surface.lazy import names_of
from rushlight.version import __version__ as internal_version

__all__ = ["TorchVersion"]

FORM = re.compile(
    r"v?(?P<release>\d+(\.\d+)*)[-_.]?((?P<kind>a|alpha|b|beta|c|rc|pre|preview)[-_.]?(?P<number>\d*))?"
    r"([-_.]?(?P<post>post|rev|r)[-_.]?(?P<after>\d*))?([-_.]?(?P<dev>dev)[-_.]?(?P<before>\d*))?(\+(?P<local>[\w.-]+))?"
)
STAGES = {"a": 1, "alpha": 1, "b": 2, "beta": 2, "c": 3, "rc": 3, "pre": 3, "preview": 3}
FINAL = 4


def order(text: str) -> tuple | None:
    """What versions are compared by, in the order of Python's packages; None for what is none."""
    found = FORM.fullmatch(text.strip().lower())
    if found is None:
        return None
    release = [int(each) for each in found["release"].split(".")]
    while release and release[-1] == 0:
        release.pop()
    stage = STAGES.get(found["kind"], FINAL)
    if found["dev"] and stage == FINAL and not found["post"]:
        stage = 0
    local = [(each.isdigit(), int(each) if each.isdigit() else 0, each) for each in split(found["local"])]
    post = int(found["after"] or 0) if found["post"] else -1
    dev = int(found["before"] or 0) if found["dev"] else float("inf")
    return release, stage, int(found["number"] or 0), post, dev, local


def split(local: str | None) -> list[str]:
    return re.split(r"[-_.]", local) if local else []


def as_text(other: Any) -> str:
    """A version given as text, or as a tuple of its parts."""
    return other if isinstance(other, str) or not isinstance(other, Iterable) else ".".join(map(str, other))


class TorchVersion(str):
    """A version: text that compares with other versions, given as text or as tuples.

    >>> torch.torch_version.TorchVersion("2.13.0") > "2.5"
    True
    >>> torch.torch_version.TorchVersion("2.13.0") >= (2, 13)
    True
    """

    __slots__ = ()

    def __lt__(self, other: Any) -> bool:
        return compare(self, other, "__lt__")

    def __le__(self, other: Any) -> bool:
        return compare(self, other, "__le__")

    def __gt__(self, other: Any) -> bool:
        return compare(self, other, "__gt__")

    def __ge__(self, other: Any) -> bool:
        return compare(self, other, "__ge__")

    def __eq__(self, other: Any) -> bool:
        return compare(self, other, "__eq__")

    __hash__ = str.__hash__


def compare(one: str, other: Any, how: str) -> bool:
    """As versions, or as text where the other is none."""
    text = as_text(other)
    if not isinstance(text, str):
        return getattr(str, how)(str(one), text)
    mine, theirs = order(str(one)), order(text)
    if mine is None or theirs is None:
        return getattr(str, how)(str(one), text)
    return getattr(mine, how)(theirs)


__version__ = TorchVersion(internal_version)
__getattr__ = names_of("rushlight.torch_version")
