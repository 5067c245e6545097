"""Settings of DataPipes: seeds, shuffling and shares, for every pipe of a graph that knows them."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from rushlight.utils.data.graph import DataPipe, DataPipeGraph, traverse_dps
from rushlight.utils.data.sampler import draw_seed

__all__ = [
    "apply_random_seed",
    "apply_sharding",
    "apply_shuffle_seed",
    "apply_shuffle_settings",
    "get_all_graph_pipes",
]


def get_all_graph_pipes(graph: DataPipeGraph) -> list[DataPipe]:
    """Every pipe of a graph, once."""
    found: dict[int, DataPipe] = {}

    def visit(below: DataPipeGraph) -> None:
        for number, (pipe, sources) in below.items():
            if number not in found:
                found[number] = pipe
                visit(sources)

    visit(graph)
    return list(found.values())


def has(pipe: Any, *names: str) -> bool:
    """Whether a pipe has methods of these names."""
    return all(inspect.ismethod(getattr(pipe, name, None)) for name in names)


def apply_sharding(datapipe: Any, num_of_instances: int, instance_id: int, sharding_group: Any = None) -> Any:
    """Let each branch of a graph keep one share of several, where it says `sharding_filter`."""

    def visit(graph: DataPipeGraph, before: Any) -> None:
        for pipe, sources in graph.values():
            applied = before
            if has(pipe, "apply_sharding"):
                if before is not None:
                    raise RuntimeError(
                        "Sharding twice on a single pipeline is likely unintended and will cause data loss. "
                        f"Sharding already applied to {before} while trying to apply to {pipe}"
                    )
                pipe.apply_sharding(num_of_instances, instance_id)
                applied = pipe
            visit(sources, applied)

    visit(traverse_dps(datapipe), None)
    return datapipe


def apply_shuffle_settings(datapipe: Any, shuffle: bool | None = None) -> Any:
    """Switch shuffling on or off in every pipe that can; one is added if there is none."""
    if shuffle is None:
        return datapipe
    shufflers = [each for each in get_all_graph_pipes(traverse_dps(datapipe)) if has(each, "set_shuffle", "set_seed")]
    if not shufflers and shuffle:
        import rushlight.utils.data.datapipes.iter  # noqa: F401  (which registers `shuffle`)

        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. "
            "Its buffer is of the default size.",
            stacklevel=4,
        )
        datapipe = datapipe.shuffle()
        shufflers = [datapipe]
    for each in shufflers:
        each.set_shuffle(shuffle)
    return datapipe


def apply_shuffle_seed(datapipe: Any, rng: Any) -> Any:
    """The former name of `apply_random_seed`."""
    warnings.warn(
        "`apply_shuffle_seed` is deprecated since 1.12 and will be removed in the future releases. "
        "Please use `apply_random_seed` instead.",
        FutureWarning,
        stacklevel=2,
    )
    return apply_random_seed(datapipe, rng)


def apply_random_seed(datapipe: Any, rng: Any) -> Any:
    """Give every pipe that is random a seed of its own."""
    for each in get_all_graph_pipes(traverse_dps(datapipe)):
        if has(each, "set_seed"):
            each.set_seed(draw_seed(rng))
    return datapipe
