"""Named results, such as the (values, indices) of `max`."""

from __future__ import annotations

from collections import namedtuple
from functools import cache


@cache
def named_results(op_name: str, fields: tuple[str, ...]) -> type:
    """A named tuple that prints as torch's return types do."""
    name = op_name.replace(".", "_")
    base = namedtuple(name, fields)

    def __repr__(self) -> str:
        items = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{items})"

    counts = {"n_fields": len(fields), "n_sequence_fields": len(fields), "n_unnamed_fields": 0}
    return type(name, (base,), {"__repr__": __repr__, "__slots__": (), "__module__": "torch.return_types", **counts})
