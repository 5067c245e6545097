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

    def __new__(cls, *values):
        # a caller of torch's class gives all the fields in one sequence
        if len(values) == 1:
            (values,) = values
            if not hasattr(values, "__iter__"):
                raise TypeError("constructor requires a sequence")
            values = tuple(values)
        if len(values) != len(fields):
            raise TypeError(
                f"torch.return_types.{name}() takes a {len(fields)}-sequence ({len(values)}-sequence given)"
            )
        return tuple.__new__(cls, values)

    counts = {"n_fields": len(fields), "n_sequence_fields": len(fields), "n_unnamed_fields": 0}
    fields_of_class = {
        "__new__": __new__,
        "__repr__": __repr__,
        "__slots__": (),
        "__module__": "rushlight.return_types",
        **counts,
    }
    made = CLASSES[name] = type(name, (base,), fields_of_class)
    return made


# the classes that were made, by name
CLASSES: dict[str, type] = {}


def results_class(name: str) -> type:
    """The class of results of this name, such as `max`, for a file that holds one before the op was called."""
    if name not in CLASSES:
        from rushlight.ops.machine import late
        from rushlight.ops.machine.declare import REGISTRY

        late.load()
        for op in REGISTRY.values():
            if op.returns and op.results_name.replace(".", "_") == name:
                return named_results(op.results_name, op.returns)
    if name not in CLASSES:
        raise AttributeError(f"torch.return_types.{name} is not in Rushlight")
    return CLASSES[name]
