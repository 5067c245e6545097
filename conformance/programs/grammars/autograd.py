"""Autograd: roots, hooks, custom Functions, modes, second derivatives."""

from __future__ import annotations

from typing import Any

from conformance.programs.grammars.chance import overlaps_itself
from conformance.programs.scope import Scope

FUNCTIONS = (
    "Double.apply({0})",
    "Square.apply({0})",
    "Cubes.apply({0})[0]",
    "InPlace.apply({0} * 1)",
    "InPlace.apply({0})",
)


def small(scope: Scope) -> str | None:
    """What every family does now and then: a backward, or a look at a gradient."""
    return scope.choose(backward, backward, gradient, flags)(scope)


def statement(scope: Scope) -> str | None:
    return scope.choose(*FORMS)(scope)


def recorded(scope: Scope) -> str | None:
    return scope.tensor(lambda tensor: tensor.requires_grad)


def total(scope: Scope, name: str) -> str:
    """A number made of a tensor."""
    return f"{name}.{scope.choose('sum()', 'mean()', 'pow(2).sum()', 'sum()', 'max()', 'exp().sum()')}"


def backward(scope: Scope) -> str | None:
    name = recorded(scope)
    if name is None:
        return None
    options = scope.choose("", "", "", "retain_graph=True", "create_graph=True")
    if scope.chance(0.15):
        roots = f"[{total(scope, name)}, {total(scope, recorded(scope) or name)}]"
        return f"torch.autograd.backward({roots}{', ' * bool(options)}{options})"
    if scope.chance(0.1):
        other = recorded(scope)
        return f"{total(scope, name)}.backward(inputs=[{other}, {other if scope.chance(0.3) else name}])"
    if scope.chance(0.2):
        return f"{name}.backward(torch.ones_like({name}){', ' * bool(options)}{options})"
    return f"{total(scope, name)}.backward({options})"


def gradient(scope: Scope) -> str | None:
    name, other = recorded(scope), recorded(scope)
    if name is None:
        return None
    options = scope.choose(
        "", ", create_graph=True", ", allow_unused=True", ", retain_graph=True", ", materialize_grads=True"
    )
    if scope.chance(0.3):
        third = recorded(scope)
        return (
            f"{scope.fresh()}, {scope.fresh()} = torch.autograd.grad({total(scope, name)}, [{other}, {third}]{options})"
        )
    return f"{scope.fresh()}, = torch.autograd.grad({total(scope, name)}, {other}{options})"


def flags(scope: Scope) -> str | None:
    name = scope.tensor()
    if name is None:
        return None
    return scope.choose(
        f"{name}.requires_grad_()",
        f"{name}.requires_grad_(False)",
        f"{name}.requires_grad = True",
        f"{name}.grad = None",
        f"{name}.retain_grad()",
        f"{scope.fresh()} = {name}.grad",
        f"{scope.fresh()} = {name}.detach()",
        f"{name}.detach_()",
        f"{name}.grad = torch.ones_like({name})",
        f"{name}.grad = torch.ones(()).expand({name}.shape)",
        f"{name}.grad.zero_()",
        f"{name}.grad.add_(1)",
        f"{name}.data.mul_(2)" if not overlaps_itself(scope.value(name)) else None,
        f"{name}.data = {name}.data * 2",
        f"{scope.fresh()} = {name}.clone()",
        f"del {name}",
    )


def hooked(scope: Scope) -> str | None:
    name = recorded(scope)
    if name is None:
        return None
    label = f"'{scope.fresh('h')}'"
    return scope.choose(
        f"{name}.register_hook(watch({label}))",
        f"{name}.register_hook(scaling({label}, {scope.number()}))",
        f"{name}.register_post_accumulate_grad_hook(counting({label}))",
        f"{name}.grad_fn.register_hook(node_hook({label}))",
        f"{name}.grad_fn.register_prehook(node_hook({label}))",
        f"{scope.fresh('v')} = {name}.register_hook(watch({label}))",
        f"{name}.retain_grad()",
    )


def unhooked(scope: Scope) -> str | None:
    found = scope.names(lambda value: type(value).__name__ == "RemovableHandle")
    return f"{scope.choose(*found)}.remove()" if found else None


def custom(scope: Scope) -> str | None:
    name = recorded(scope)
    if name is None:
        return None
    if scope.chance(0.35):
        shape = tuple(scope.value(name).shape)
        other = scope.tensor(lambda tensor: tuple(tensor.shape) == shape)
        if scope.chance(0.5):
            return f"{scope.fresh()}, {scope.fresh()} = Halves.apply({name}, {other})"
        return f"{scope.fresh()} = Quiet.apply({name}, {other})"
    text = scope.choose(*FUNCTIONS)
    if text.startswith("InPlace.apply({0})") and overlaps_itself(scope.value(name)):
        return None
    return f"{scope.fresh()} = {text.format(name)}"


def moded(scope: Scope) -> str | None:
    from conformance.programs.grammars import calls, views, writes

    inner = scope.choose(calls.pointwise, views.view, writes.write, flags)(scope)
    if inner is None or "\n" in inner:
        return None
    mode = scope.choose(
        "no_grad()",
        "no_grad()",
        "enable_grad()",
        "set_grad_enabled(False)",
        "inference_mode()",
        "inference_mode(False)",
    )
    return f"with torch.{mode}:\n    {inner}"


def combined(scope: Scope) -> str | None:
    """A number made of several tensors, so that one backward reaches them all."""
    names = {recorded(scope) for _ in range(3)} - {None}
    if not names:
        return None
    return f"{scope.fresh()} = {' + '.join(total(scope, str(each)) for each in sorted(map(str, names)))}"


def leaf(scope: Scope) -> Any:
    from conformance.programs.grammars import creation

    return creation.floats(scope)


FORMS = (
    backward,
    backward,
    backward,
    gradient,
    gradient,
    flags,
    hooked,
    hooked,
    unhooked,
    custom,
    custom,
    moded,
    combined,
    leaf,
)
