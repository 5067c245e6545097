"""Naming: ops again with nodes of other names, for the steps of composed functions; torch counts the forms of an op."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.ops.machine.declare import Op, op
from rushlight.ops.machine.layouts import KEPT


def renamed(function: Callable, node: str) -> Callable:
    """The op of a function once more, its nodes under another name: `MulBackward1` is a product with a number."""
    source: Op = function.op  # type: ignore[attr-defined]
    again = op(
        dtype=source.rule,
        samples=None,
        name=f"_{source.name}_as_{node}",
        operands=[source.names[each] for each in source.operands],
        layout=source.layout or KEPT,
        node=node,
        fused=source.fused,
        batch=source.batch,
        linear=source.linear,
    )(source.body)
    again.gradient(**source.gradients)
    again.op.made = source.made
    again.op.delivery, again.op.steps = source.delivery, source.steps
    return again
