"""The stub of named results, such as the (values, indices) of `max`."""

from __future__ import annotations

from rushlight.ops.machine.late import registry
from tools.stubs.faces import HEAD
from tools.stubs.signatures import seen_of
from tools.stubs.types_of import result_fields


def results() -> str:
    """The text of rushlight/core/object/results.pyi: a class for each op with several results."""
    lines = ["from typing import NamedTuple", "", "from rushlight.core.object.tensor import Tensor"]
    for name, op in sorted(registry().items()):
        fields = [] if name.startswith("_") else result_fields(seen_of(op))
        if fields:
            lines += ["", f"class {name.replace('.', '_')}(NamedTuple):", *(f"    {each}: Tensor" for each in fields)]
    title = "Named results of ops, by the name of the op; torch has them in `torch.return_types`."
    return HEAD.format(title=title) + "\n".join(lines) + "\n"
