"""Writes: in place, through `out=`, into parts, with sources that may overlap their target."""

from __future__ import annotations

import math

from conformance.programs.grammars.chance import left_to_chance, meet
from conformance.programs.scope import Scope

UNARY = """
    abs_ neg_ sin_ exp_ tanh_ sigmoid_ relu_ sqrt_ square_ floor_ sign_ zero_ reciprocal_ round_ trunc_ frac_
    logical_not_ t_ erf_ log1p_ expm1_ cos_ digamma_ detach_
""".split()
BINARY = """
    add_ sub_ mul_ div_ copy_ pow_ maximum minimum atan2_ eq_ ne_ lt_ ge_ logical_and_ fmod_ remainder_
    floor_divide_ hypot_ add_ mul_ copy_
""".split()
OUT_UNARY = "sin exp tanh neg abs square sigmoid floor isnan".split()
OUT_BINARY = "add mul sub div maximum eq atan2 pow".split()


def write(scope: Scope) -> str | None:
    """A statement that changes a tensor."""
    name = scope.tensor()
    if name is None:
        return None
    text = scope.choose(*FORMS)(scope, name)
    return None if text is None or left_to_chance(scope, text) else text


def unary(scope: Scope, name: str) -> str:
    return f"{name}.{scope.choose(*UNARY)}()"


def binary(scope: Scope, name: str) -> str:
    method = scope.choose(*BINARY)
    if not method.endswith("_"):
        return f"{name}.copy_(torch.{method}({name}, {scope.operand(scope.value(name))}))"
    return f"{name}.{method}({scope.operand(scope.value(name))})"


def augmented(scope: Scope, name: str) -> str:
    return f"{name} {scope.choose('+=', '-=', '*=', '/=', '**=', '//=', '%=')} {scope.operand(scope.value(name))}"


def own_part(scope: Scope, name: str) -> str | None:
    """A source that shares the target's memory."""
    tensor = scope.value(name)
    if not tensor.dim():
        return None
    part = scope.choose("[0]", "[-1]", "[:1]", ".T", ".mT", ".flip(0)", ".detach()", "[1:]", "[:, :1]")
    target = name if scope.chance(0.7) else f"{name}[{scope.choose('0', '1:', ':-1', '...')}]"
    return scope.choose(f"{target}.add_({name}{part})", f"{target}.copy_({name}{part})", f"{target}.mul_({name}{part})")


def filled(scope: Scope, name: str) -> str:
    return (
        f"{name}.{scope.choose('fill_', 'clamp_', 'clamp_max_', 'clamp_', 'masked_fill_')}({scope.number()})".replace(
            "masked_fill_(", f"masked_fill_({name} > 0, "
        )
    )


def placed(scope: Scope, name: str) -> str | None:
    tensor = scope.value(name)
    dim = scope.dim(tensor)
    size = tensor.shape[dim] if tensor.dim() and -tensor.dim() <= dim < tensor.dim() else 1
    index = (
        f"torch.tensor({[scope.integer(0, max(size - 1, 0)) for _ in range(scope.integer(0, 2))]}, dtype=torch.int64)"
    )
    number = scope.number()
    return scope.choose(
        f"{name}.index_fill_({dim}, {index}, {number})",
        f"{name}.index_add_({dim}, {index}, {name}.index_select({dim}, {index}))",
        f"{name}.index_copy_({dim}, {index}, {name}.index_select({dim}, {index}) * 2)",
        f"{name}.masked_scatter_({name} > 0, {name}.flatten() + 1)",
        f"{name}.fill_diagonal_({number})",
        f"{name}.scatter_({dim}, torch.zeros_like({name}, dtype=torch.int64), {number})",
        f"{name}.unsqueeze_({dim})",
        f"{name}.transpose_({dim}, 0)",
        f"{name}.squeeze_()",
        f"{name}.cumsum_({dim})",
        f"{name}.tril_()",
        f"{name}.lerp_({name} * 2, 0.5)",
        f"{name}.addcmul_({name}, {name}.detach(), value=0.5)",
        # what grows holds whatever the memory held
        f"{name}.resize_({tensor.numel() // 2})" if scope.chance(0.2) else f"{name}.swapaxes_(0, {dim})",
    )


def into_out(scope: Scope, name: str) -> str | None:
    """A result written into another tensor, which may have to become larger for it."""
    target, tensor = scope.tensor(), scope.value(name)
    if scope.chance(0.4):
        text, count = f"torch.{scope.choose(*OUT_UNARY)}({name}", tensor.numel()
    elif scope.chance(0.25):
        if meet(tensor, scope.value(str(target))):
            return None  # torch gives the target its new shape before it looks at what it reads
        text = f"torch.{scope.choose('sum', 'cumsum', 'amax', 'mean')}({name}, {scope.dim(tensor)}"
        count = math.prod([size for size in tensor.shape if size])  # of no rows there is a sum for each column
    elif scope.chance(0.25):
        text, count = f"torch.{scope.choose('cat', 'stack')}([{name}, {name}]", 2 * tensor.numel()
    else:
        other = scope.operand(tensor)
        text, count = f"torch.{scope.choose(*OUT_BINARY)}({name}, {other}", broadcast_count(scope, name, other)
    return None if grows(scope, str(target), count) else f"{text}, out={target})"


def broadcast_count(scope: Scope, name: str, other: str) -> int:
    """How many elements the two have together."""
    try:
        return int(
            eval(
                f"(torch.zeros_like({name}, dtype=torch.bool) | (torch.as_tensor({other}) == 0)).numel()",
                scope.namespace,
            )
        )
    except (RuntimeError, TypeError):
        return 0


def grows(scope: Scope, target: str, count: int) -> bool:
    """Whether a tensor whose memory others see would need more of it: there they lose sight of each other."""
    return scope.value(target).numel() < count and any(
        each != target and meet(scope.value(each), scope.value(target)) for each in scope.tensors()
    )


def ungraded(scope: Scope, name: str) -> str:
    inner = unary(scope, name) if scope.chance(0.5) else augmented(scope, name)
    return f"with torch.no_grad():\n    {inner}"


FORMS = (unary, binary, binary, augmented, augmented, own_part, filled, placed, placed, into_out, ungraded)
