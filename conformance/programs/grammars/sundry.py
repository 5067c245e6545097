"""Sundry lines: what people write with tensors, layers and optimizers that are there; the templates are in sundry.txt.

In the templates `{x}` and `{y}` are tensors, `{g}` one that requires grad, `{l}` such a leaf, `{m}` a module, `{o}` an
optimizer, `{v}` a scheduler; `{new}`, `{kept}`, `{layer}`, `{optimizer}` and `{scheduler}` are names for what is made.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from conformance.programs.grammars.chance import left_to_chance
from conformance.programs.scope import Scope, is_wanting


def read_templates() -> dict[str, list[str]]:
    """The templates by the names of their groups."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in Path(__file__).with_name("sundry.txt").read_text().splitlines()[1:]:
        if re.fullmatch(r"\[[A-Z]+\]", line):
            lines = found[line[1:-1]] = []
        elif line:
            lines.append(line.replace("\\n", "\n"))
    return found


LINES = read_templates()
# what reductions are called with, where it is not what most are
OPTIONS = {
    "topk": ("(1)",),
    "kthvalue": ("(1)",),
    "quantile": ("(0.5)",),
    "norm": ("()", "(dim={dim})", "(1)", "(p=3, dim=-1)", "(float('inf'))"),
    "sort": ("()", "({dim})", "(descending=True)"),
    "unique": ("()",),
    "count_nonzero": ("()",),
    "aminmax": ("()",),
    **dict.fromkeys("logsumexp softmax log_softmax cumsum cumprod logcumsumexp cummax cummin".split(), ("({dim})",)),
}
KINDS = {
    "read": 5,
    "write": 6,
    "index": 4,
    "call": 5,
    "autograd": 6,
    "module": 3,
    "optimizer": 2,
    "random": 1,
    "new": 2,
}
WRITING = re.compile(r"\w_\(|\] =|[-+*/%@]= ")
# memory that nobody has written, or that is nobody's: what stands there is left to chance
UNKNOWN = re.compile(r"resize_|as_strided_\(|\.set_\(|unfold\(0, 2, 1\)\.add_")


def created(scope: Scope) -> str:
    """A tensor out of nothing."""
    return filled(scope, scope.choose(*LINES["CREATION"])) or "x0 = torch.ones(2)"


def statement(scope: Scope) -> str | None:
    """A line about what is there."""
    kind = scope.random.choices(list(KINDS), list(KINDS.values()))[0]
    try:
        text = filled(scope, DRAWN[kind](scope))
        chance = text is not None and is_unsure(scope, text)
    except RuntimeError:  # a view that refuses to be looked at
        return None
    return None if chance else text


def is_unsure(scope: Scope, text: str) -> bool:
    """Whether what a line does depends on memory that nobody has set, or on the order of writes."""
    line = re.sub(r"^ *\w+ = (?=\w+\.)", "", text.splitlines()[-1])
    if UNKNOWN.search(line):
        return True
    target = re.match(r" *(x\d+)\b", line)
    return bool(WRITING.search(line)) and target is not None and left_to_chance(scope, line)


def filled(scope: Scope, template: str) -> str | None:
    """The template with names in place of what it asks for; None where there is no such thing."""
    torch = scope.torch
    wanted = {
        "x": lambda: scope.tensor(),
        "y": lambda: scope.tensor(),
        "g": lambda: scope.tensor(lambda each: each.requires_grad) or scope.tensor(),
        "l": lambda: scope.tensor(is_wanting),
        "m": lambda: one_of(scope, torch.nn.Module),
        "o": lambda: one_of(scope, torch.optim.Optimizer),
        "v": lambda: one_of(scope, torch.optim.lr_scheduler.LRScheduler),
        "new": lambda: scope.fresh(),
        "kept": lambda: scope.fresh("p"),
        "layer": lambda: scope.fresh("m"),
        "optimizer": lambda: scope.fresh("o"),
        "scheduler": lambda: scope.fresh("v"),
        "shape": lambda: scope.choose(*LINES["SHAPES"]),
        "dim": lambda: scope.choose("0", "-1", "1"),
        "number": lambda: scope.number(),
        "sign": lambda: scope.choose("+", "-", "*", "/"),
    }
    names = {name: make() for name, make in wanted.items() if f"{{{name}}}" in template}
    return None if None in names.values() else template.format(**names)


def one_of(scope: Scope, kind: Any) -> str | None:
    found = scope.names(lambda value: isinstance(value, kind))
    return scope.random.choice(found) if found else None


def index(scope: Scope) -> str:
    """A part read, or written to."""
    place, value = (
        scope.choose(*LINES["INDICES"]),
        scope.choose(*LINES["VALUES"]).replace("{i}", scope.choose(*LINES["INDICES"])),
    )
    return scope.choose(
        f"{{new}} = {{x}}[{place}]",
        f"{{new}} = {{x}}[{place}]",
        f"{{x}}[{place}] = {value}",
        f"{{x}}[{place}] = {value}",
        f"{{x}}[{place}] {{sign}}= {value}",
        f"with torch.no_grad():\n    {{x}}[{place}] = {value}",
        f"{{x}}.data[{place}] = {value}",
    )


def write(scope: Scope) -> str:
    line = "{x}." + scope.choose(*LINES["WRITES"])
    return scope.choose(
        line,
        line,
        f"{{new}} = {line}",
        f"with torch.no_grad():\n    {line}",
        f"{{x}} {scope.choose('+', '-', '*', '/', '//', '**', '@', '%')}= {{y}}",
        "{x} {sign}= 2",
    )


def call(scope: Scope) -> str:
    """A function of one tensor, a reduction, an operator, or one of the longer lines."""
    unary, reduction = scope.choose(*LINES["UNARY"]), scope.choose(*LINES["REDUCTIONS"])
    options = scope.choose(*OPTIONS.get(reduction, ("()", "({dim})", "({dim}, keepdim=True)", "(dim={dim})")))
    sign = scope.choose(*"+ - * / // % ** @ < > == != & | ^ << >>".split())
    place = "torch" if hasattr(scope.torch, unary) else "F"
    return "{new} = " + scope.choose(
        f"{place}.{unary}({{x}})",
        f"{place}.{unary}({{x}})",
        f"{{x}}.{reduction}{options}",
        f"{{x}}.{reduction}{options}",
        f"{{x}} {sign} {{y}}",
        "{x} {sign} {number}",
        "{number} {sign} {x}",
        *scope.random.sample(LINES["CALLS"], 12),
    )


def module(scope: Scope) -> str:
    made = one_of(scope, scope.torch.nn.Module) is None or scope.chance(0.15)
    return f"{{layer}} = {scope.choose(*LINES['LAYERS'])}" if made else scope.choose(*LINES["MODULES"])


def optimizer(scope: Scope) -> str:
    if one_of(scope, scope.torch.optim.Optimizer) is None or scope.chance(0.12):
        of = "{m}.parameters()" if one_of(scope, scope.torch.nn.Module) and scope.chance(0.6) else "[{l}]"
        return "{optimizer} = optim." + scope.choose(*LINES["OPTIMIZERS"]).replace("{p}", of)
    if scope.chance(0.15):
        return "{scheduler} = optim.lr_scheduler." + scope.choose(*LINES["SCHEDULERS"])
    return scope.choose(*LINES["STEPS"])


DRAWN = {
    "read": lambda scope: "{new} = {x}." + scope.choose(*LINES["METHODS"], *LINES["READING"]),
    "write": write,
    "index": index,
    "call": call,
    "autograd": lambda scope: scope.choose(*LINES["AUTOGRAD"]),
    "module": module,
    "optimizer": optimizer,
    "random": lambda scope: scope.choose(*LINES["RANDOM"]),
    "new": lambda scope: scope.choose(*LINES["CREATION"]),
}
