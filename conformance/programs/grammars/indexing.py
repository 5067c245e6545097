"""Indexing: every kind of index, read and assigned to."""

from __future__ import annotations

from typing import Any

from conformance.programs.grammars.chance import left_to_chance
from conformance.programs.scope import Scope


def read(scope: Scope) -> str | None:
    name = scope.tensor()
    if name is None:
        return None
    return f"{scope.fresh()} = {name}[{index(scope, scope.value(name))}]"


def assign(scope: Scope) -> str | None:
    name = scope.tensor()
    text = None if name is None else assignment(scope, name)
    return None if text is None or left_to_chance(scope, text) else text


def assignment(scope: Scope, name: str) -> str:
    tensor = scope.value(name)
    where = index(scope, tensor)
    if scope.chance(0.15):
        rows = vector(scope, tensor.shape[0] if tensor.dim() else 1)
        return f"{name}.index_put_(({rows},), {value(scope, tensor)}, accumulate={scope.chance(0.5)})"
    if scope.chance(0.2):
        return f"{name}[{where}] {scope.choose('+=', '*=', '-=')} {scope.number()}"
    return f"{name}[{where}] = {value(scope, tensor, where)}"


def value(scope: Scope, tensor: Any, where: str = "...") -> str:
    """Something to assign: a number, a tensor that fits, a part of the target itself."""
    if scope.chance(0.35):
        return scope.number()
    if scope.chance(0.3):
        return scope.operand(tensor)
    try:
        shape = tuple(
            eval(f"tensor[{where}]", {"tensor": tensor.detach(), "torch": scope.torch, **scope.namespace}).shape
        )
    except Exception:
        shape = ()
    if scope.chance(0.2):
        shape = (1, *shape)
    elif scope.chance(0.2):
        shape = tuple(1 if scope.chance(0.5) else size for size in shape)
    dtype = str(tensor.dtype).rpartition(".")[2] if scope.chance(0.7) else scope.dtype()
    text = scope.literal(shape, dtype)
    return text + ".requires_grad_()" if dtype.startswith("float") and scope.chance(0.2) else text


def index(scope: Scope, tensor: Any) -> str:
    """An index for the tensor, in one of its many forms."""
    if scope.chance(0.12):
        return mask(scope, tuple(tensor.shape))
    parts: list[str] = []
    dim = 0
    while dim < tensor.dim() and not scope.chance(0.25):
        parts.append(part(scope, tensor.shape[dim]))
        dim += parts[-1] not in ("None", "True", "False")
        if len(parts) > 5:
            break
    if scope.chance(0.15) and "..." not in parts:
        parts.insert(scope.integer(0, len(parts)), "...")
    return ", ".join(parts) or "..."


def part(scope: Scope, size: int) -> str:
    kind = scope.random.choices(
        ("int", "slice", "none", "vector", "mask", "bool", "list", "scalar"), (6, 8, 1, 4, 2, 0.6, 1, 1)
    )[0]
    last = max(size - 1, 0)
    if kind == "int":
        return str(scope.integer(-size, last) if not scope.chance(0.03) else size)
    if kind == "slice":
        return scope.choose(":", "1:", ":-1", "::2", "1:2", "0:0", "-2:", f"{scope.integer(0, last)}:")
    if kind == "none":
        return "None"
    if kind == "vector":
        return vector(scope, size)
    if kind == "mask":
        return mask(scope, (size,))
    if kind == "bool":
        return scope.choose("True", "False")
    if kind == "list":
        return str([scope.integer(-size, last) for _ in range(scope.integer(1, 3))])
    return f"torch.tensor({scope.integer(-size, last)})"


def vector(scope: Scope, size: int) -> str:
    last = max(size - 1, 0)
    if size == 0:
        return "torch.tensor([], dtype=torch.int64)"
    values = [scope.integer(-size, last) for _ in range(scope.choose(1, 2, 2, 3))]
    shape = scope.choose("", "", "[:, None]")
    return f"torch.tensor({values}){shape}"


def mask(scope: Scope, shape: tuple[int, ...]) -> str:
    return scope.literal(shape, "bool")
