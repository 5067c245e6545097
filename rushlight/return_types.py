"""torch.return_types: the named tuples of operations with several results, by the names of the operations."""

from typing import Any

from rushlight.core.surface.lazy import missing

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    """The type of what `torch.<name>` returns."""
    from rushlight.ops.machine.late import registry

    for op in registry().values():
        if (
            op.returns is not None
            and op.results_name.rpartition(".")[2].lstrip("_") == name
            and not name.startswith("_")
        ):
            return globals().setdefault(name, op.results)
    for long in ("linalg", "special"):
        found = registry().get(f"{long}.{name.removeprefix(long + '_')}") if name.startswith(long + "_") else None
        if found is not None and found.returns is not None:
            return globals().setdefault(name, found.results)
    raise missing("torch.return_types", name)
