"""The graph of DataPipes: which pipe is made of which."""

from __future__ import annotations

from typing import Any, TypeAlias

from rushlight.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]

DataPipe: TypeAlias = IterDataPipe | MapDataPipe
DataPipeGraph: TypeAlias = dict[int, tuple[DataPipe, "DataPipeGraph"]]


def sources_of(pipe: DataPipe) -> list[DataPipe]:
    """The pipes that a pipe holds, also in lists, tuples and dicts."""
    found: list[DataPipe] = []
    waiting: list[Any] = list(vars(pipe).values())[::-1]
    while waiting:
        each = waiting.pop()
        if isinstance(each, (IterDataPipe, MapDataPipe)):
            found.append(each)
        elif isinstance(each, (list, tuple, set)):
            waiting += list(each)[::-1]
        elif isinstance(each, dict):
            waiting += list(each.values())[::-1]
    return found


def traverse_dps(datapipe: DataPipe) -> DataPipeGraph:
    """A pipe and all that it is made of: `{id: (pipe, its own graph)}`."""
    if not isinstance(datapipe, (IterDataPipe, MapDataPipe)):
        raise RuntimeError(f"Expected `IterDataPipe` or `MapDataPipe`, but {type(datapipe)} is found")
    below: DataPipeGraph = {}
    for each in sources_of(datapipe):
        below.update(traverse_dps(each))
    return {id(datapipe): (datapipe, below)}


def traverse(datapipe: DataPipe, only_datapipe: bool | None = None) -> DataPipeGraph:
    """The former name of `traverse_dps`."""
    return traverse_dps(datapipe)
