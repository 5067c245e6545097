"""Views: other shapes and parts of a tensor's memory."""

from __future__ import annotations

from typing import Any

from conformance.programs.scope import Scope


def view(scope: Scope) -> str | None:
    """A view of a tensor, bound to a new name; several for those that split."""
    name = scope.tensor()
    if name is None:
        return None
    tensor = scope.value(name)
    text = scope.choose(*FORMS)(scope, tensor)
    if text is None:
        return None
    if text.endswith("!"):
        return f"{scope.fresh()}, *{scope.fresh('x')} = {name}{text[:-1]}" if tensor.dim() else None
    return f"{scope.fresh()} = {name}{text}"


def transpose(scope: Scope, tensor: Any) -> str:
    return f".transpose({scope.dim(tensor)}, {scope.dim(tensor)})"


def permute(scope: Scope, tensor: Any) -> str:
    order = list(range(tensor.dim()))
    scope.random.shuffle(order)
    return f".permute({tuple(order)})"


def whole(scope: Scope, tensor: Any) -> str:
    return (
        scope.choose(
            ".t()",
            ".mT",
            ".T",
            ".detach()",
            ".view_as({0})",
            ".flatten()",
            ".ravel()",
            ".contiguous()",
            ".squeeze()",
            ".real",
            ".data",
            ".conj()",
            ".alias_()",
        )
        .replace(".view_as({0})", ".view(-1)")
        .replace(".alias_()", "[...]")
    )


def select(scope: Scope, tensor: Any) -> str | None:
    if not tensor.dim():
        return None
    dim = scope.dim(tensor)
    size = tensor.shape[dim] if -tensor.dim() <= dim < tensor.dim() else 1
    if scope.chance(0.5):
        return f".select({dim}, {scope.integer(-size, max(size - 1, 0))})"
    start = scope.integer(0, size)
    return f".narrow({dim}, {start}, {scope.integer(0, max(size - start, 0))})"


def sliced(scope: Scope, tensor: Any) -> str | None:
    if not tensor.dim():
        return None
    parts = [
        scope.choose("1:", ":-1", "::2", ":", "1:2", "0", "-1", "None", "...")
        for _ in range(scope.integer(1, tensor.dim()))
    ]
    if parts.count("...") > 1:
        return None
    return f"[{', '.join(parts)}]"


def expand(scope: Scope, tensor: Any) -> str:
    shape = [scope.integer(1, 3) if size == 1 else -1 for size in tensor.shape]
    if scope.chance(0.4):
        shape.insert(0, scope.integer(1, 3))
    return f".expand({tuple(shape)})"


def reshape(scope: Scope, tensor: Any) -> str:
    count = tensor.numel()
    options: list[tuple[int, ...]] = [(-1,), (count,), (1, count), (count, 1)]
    options += [(part, count // part) for part in (2, 3, 4) if count and count % part == 0]
    options += [(2, -1, 2)] if count % 4 == 0 and count else []
    return f".{scope.choose('view', 'view', 'reshape')}({scope.choose(*options)})"


def sizes(scope: Scope, tensor: Any) -> str:
    dim = scope.dim(tensor)
    return scope.choose(
        f".unsqueeze({dim})",
        f".squeeze({dim})",
        f".movedim({dim}, 0)",
        f".unfold({dim}, 2, 1)",
        f".diagonal({scope.integer(-1, 1)})",
    )


def splits(scope: Scope, tensor: Any) -> str:
    dim = scope.dim(tensor)
    return scope.choose(f".split(2, {dim})!", f".chunk(2, {dim})!", f".unbind({dim})!", f".tensor_split(2, {dim})!")


def strided(scope: Scope, tensor: Any) -> str | None:
    # a result may have more memory than elements, which holds anything
    room = (tensor if tensor._base is None else tensor._base).numel()
    if room < 2:
        return None
    offset = scope.integer(0, min(room - 1, 3))
    step = scope.choose(0, 1, 1, 1, 2)
    most = room - offset if step == 0 else (room - offset - 1) // step + 1
    size = scope.integer(1, max(1, min(most, 3)))
    return f".as_strided(({size},), ({step},), {offset})"


FORMS = (transpose, permute, whole, select, sliced, expand, reshape, sizes, splits, strided, sliced, whole, whole)
