"""Promotion: operands of different kinds, numbers among them."""

from __future__ import annotations

from conformance.programs.scope import DTYPES, Scope

OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "==", "<", "&", "|", "^", "<<", ">>")
FUNCTIONS = """
    add sub mul div true_divide floor_divide remainder fmod pow maximum minimum atan2 where eq ne lt logical_and
    bitwise_and hypot xlogy copysign nextafter ldexp gcd heaviside
""".split()
NUMBERS = ("2", "0.5", "True", "-3", "1.5", "0", "2j", "300", "-1", "1e10", "float('inf')")


def statement(scope: Scope) -> str | None:
    name = scope.tensor()
    if name is None:
        return None
    other = scope.choose(*NUMBERS) if scope.chance(0.4) else scope.operand(scope.value(name))
    return f"{scope.fresh()} = {scope.choose(*FORMS)(scope, name, other)}"


def operator(scope: Scope, name: str, other: str) -> str:
    one, two = (name, other) if scope.chance(0.7) else (other, name)
    return f"{one} {scope.choose(*OPERATORS)} {two}"


def function(scope: Scope, name: str, other: str) -> str:
    chosen = scope.choose(*FUNCTIONS)
    if chosen == "where":
        return f"torch.where({name} > 0, {name}, {other})"
    return f"torch.{chosen}({name}, {other})"


def reduced(scope: Scope, name: str, other: str) -> str:
    chosen = scope.choose(
        "sum", "prod", "mean", "amax", "cumsum", "std", "any", "all", "argmax", "logsumexp", "nansum", "norm"
    )
    tail = (
        f", dtype=torch.{scope.choose(*DTYPES)}"
        if chosen in ("sum", "prod", "mean", "cumsum", "nansum") and scope.chance(0.3)
        else ""
    )
    if chosen in ("cumsum", "logsumexp") or scope.chance(0.5):
        return f"torch.{chosen}({name}, {scope.dim(scope.value(name))}{tail})"
    return f"torch.{chosen}({name}{tail})"


def converted(scope: Scope, name: str, other: str) -> str:
    dtype = scope.choose(*DTYPES)
    return scope.choose(
        f"{name}.to(torch.{dtype})",
        f"{name}.type_as({name} + {other})",
        f"torch.result_type({name}, {other})",
        f"torch.full_like({name}, {other if other in NUMBERS else 1})",
        f"torch.tensor([{other if other in NUMBERS else 1}, 1], dtype=torch.{dtype})",
        f"{name}.{scope.choose('sin', 'sqrt', 'exp', 'sigmoid', 'round', 'abs', 'neg', 'sign')}()",
    )


def addition(scope: Scope, name: str, other: str) -> str:
    return scope.choose(
        f"torch.addcmul({name}, {name}, {name}, value={scope.number()})",
        f"torch.lerp({name}, {name}, {scope.number()})",
        f"torch.add({name}, {other}, alpha={scope.number()})",
        f"torch.clamp({name}, {scope.number()}, {scope.number()})",
        f"torch.clamp({name}, min={other})",
        f"torch.cat([{name}, {name}.{scope.choose('double', 'int', 'half', 'bool')}()])",
    )


FORMS = (operator, operator, operator, function, function, reduced, converted, addition)
