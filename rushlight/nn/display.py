"""Display: what a notebook shows of a module, a tree that opens and closes, with the parameters of each part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.core.object.display import MUTED, escaped
from rushlight.nn.parameter import is_lazy

__all__ = ["html_of_module"]

# a page with more lines than this is slow to open; of a larger network the first are shown
LONGEST = 1000
# what lies deeper is closed until it is asked for
OPEN_LEVELS = 2


def html_of_module(module: Any) -> str:
    """The tree of a module, each part with its own line: name, class, what it says of itself, and its parameters."""
    return f"<div style='font-family:monospace'>{''.join(lines(module))}</div>"


def lines(root: Any) -> Iterator[str]:
    """The pieces of the tree, from the top to the bottom."""
    stack: list[tuple[str, Any, int] | str] = [("", root, 0)]
    shown = 0
    above: list[int] = []
    while stack:
        each = stack.pop()
        if isinstance(each, str):
            above.pop()
            yield each
            continue
        name, module, depth = each
        shown += 1
        if shown > LONGEST:
            if shown == LONGEST + 1:
                yield "<div>...</div>"
            continue
        head = line(name, module)
        children = [] if module is None or id(module) in above else list(module._modules.items())
        if not children:
            yield f"<div style='margin-left:1.2em'>{head}</div>"
            continue
        opened = " open" if depth < OPEN_LEVELS else ""
        yield f"<details style='margin-left:1.2em'{opened}><summary>{head}</summary>"
        above.append(id(module))
        stack.append("</details>")
        stack.extend((name, child, depth + 1) for name, child in reversed(children))


def line(name: str, module: Any) -> str:
    """What stands in one line of the tree."""
    named = f"({escaped(name)}): " if name else ""
    if module is None:
        return f"{named}None"
    extra = " ".join(module.extra_repr().split())
    mode = "" if module.training else " · eval"
    return (
        f"{named}<b>{escaped(module._get_name())}</b>({escaped(extra)}) "
        f"<span style='{MUTED}'>{escaped(parameters_of(module) + mode)}</span>"
    )


def parameters_of(module: Any) -> str:
    """How many numbers the module learns, with all of its parts; a parameter that several parts share counts once."""
    parameters = list(module.parameters())
    known = [each for each in parameters if not is_lazy(each)]
    total = sum(each.numel() for each in known)
    frozen = sum(each.numel() for each in known if not each.requires_grad)
    words = [f"{total:,} parameter{'' if total == 1 else 's'}"]
    if frozen:
        words.append(f"{frozen:,} frozen")
    if len(known) < len(parameters):
        words.append(f"{len(parameters) - len(known)} not yet made")
    return ", ".join(words)
