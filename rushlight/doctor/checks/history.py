"""History lost: an optimizer wants to train a parameter, and the way from the loss to it is cut."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from rushlight.core.settings.state import state
from rushlight.doctor import flow
from rushlight.doctor.catalogue import check
from rushlight.doctor.cuts import REBUILT
from rushlight.doctor.events import Raised, Stepped
from rushlight.doctor.finding import ERROR, Finding
from rushlight.doctor.lost import Lost, is_without_history, losses_at
from rushlight.doctor.names import listed
from rushlight.doctor.paths import first_cut, path_to, shown_path
from rushlight.errors import location

if TYPE_CHECKING:
    from rushlight.doctor.watch import Watch

WHEN: Any = {"on": (Stepped, Raised), "wait": 3, "short_runs": True}
# what to write instead of an op without a gradient
SMOOTH = {
    "argmax": "`softmax`, `gumbel_softmax(hard=True)` or a straight-through estimator",
    "argmin": "`softmax` of the negative, `gumbel_softmax(hard=True)` or a straight-through estimator",
    "one_hot": "`softmax`, `gumbel_softmax(hard=True)` or a straight-through estimator",
    "sign": "`tanh`, or a straight-through estimator: `x + (torch.sign(x) - x).detach()`",
    "searchsorted": "a soft assignment, such as `softmax` of the negative distances",
    "bucketize": "a soft assignment, such as `softmax` of the negative distances",
}
COMPARISONS = {"gt", "lt", "ge", "le", "eq", "ne", "greater", "less", "isclose", "logical_and", "logical_or"}
ROUNDING = {"round", "floor", "ceil", "trunc", "fix"}
CASTS = {"long", "int", "short", "byte", "char", "bool", "to", "type", "type_as"}


def suffering(names: list[str]) -> str:
    """`a.weight gets no gradient`, `a.weight and a.bias get no gradient`."""
    return f"{listed(names)} {'get' if len(names) > 1 else 'gets'} no gradient"


def told(watch: Watch, event: Stepped | Raised, kind: str, words: Callable[[Watch, Lost], tuple]) -> Iterator[Finding]:
    """The findings of one kind; `words` gives what happened and the repair."""
    if isinstance(event, Raised) and watch.memory["param-rebound"].get("lines"):
        return
    for lost in losses_at(watch, event).cut:
        cut = lost.cut
        if cut.kind != kind or (cut.made.blocked is not None and is_left_on(watch, event)):
            continue
        message, fix, *related = words(watch, lost)
        names = watch.names.all(lost.parameters)
        if lost.optimizer is not None:
            related.append(("the optimizer that is to train it", lost.optimizer.place))
        way = path_to(cut.way[:1], watch.trace.of(lost.parameters[0])) if lost.parameters else None
        if isinstance(event, Raised):
            related.append(("the backward that was refused", event.place))
        yield Finding(
            message,
            fix,
            cut.place,
            names,
            related=[each for each in related if each[1] is not None and each[1] != cut.place],
            path=[] if way is None else shown_path(way),
            sure=cut.sure,
            still=lost.still(),
        )


def argument_on(lost: Lost) -> ast.expr | None:
    """What the program gives to the function on the line of a cut."""
    name = lost.cut.made.name
    call = None if lost.cut.place is None else flow.call_on(lost.cut.place, name, "Parameter", "Variable")
    return call.args[0] if call is not None and call.args else None


def joined(lost: Lost, argument: ast.expr | None) -> str:
    """`torch.stack(values)`, or the tensor itself where there is only one."""
    made = lost.cut.made
    if made.name in ("full", "full_like", "new_full", "linspace", "logspace", "arange"):
        return (
            "Compute it from the tensor, as in `start + (end - start) * torch.linspace(0, 1, steps)` or `ones * value`."
        )
    text = "..." if argument is None else ast.unparse(argument)
    text = text if len(text) < 60 else "[...]"
    if isinstance(argument, (ast.List, ast.ListComp, ast.Tuple)) or len(lost.cut.sources) > 1 or not is_single(lost):
        return f"Write `torch.stack({text})`, which keeps it."
    return f"Use `{text}` itself: it is a tensor already."


def is_single(lost: Lost) -> bool:
    """Whether the new tensor was made of one tensor of the same shape, and not of a list."""
    return len(lost.cut.sources) == 1 and lost.cut.sources[0].shape == lost.cut.made.shape


@check("history-rebuilt", tier=1, severity=ERROR, **WHEN)
def history_rebuilt(watch: Watch, event: Stepped | Raised) -> Iterator[Finding]:
    """`torch.tensor(...)` of tensors copies their values and drops their history."""

    def words(watch: Watch, lost: Lost) -> tuple:
        made = lost.cut.made
        number = len(lost.cut.sources)
        what = "a tensor" if number == 1 else f"{number} tensors"
        return (
            f"`{written(made.name)}(...)` copied the values of {what} and dropped their history, so "
            f"{suffering(watch.names.all(lost.parameters))}.",
            joined(lost, argument_on(lost)),
        )

    yield from told(watch, event, "history-rebuilt", words)


def written(name: str) -> str:
    """A function as programs call it."""
    return name if name in ("new_tensor", "new", "new_full") else f"torch.{name}"


@check("history-rewrapped", tier=1, severity=ERROR, **WHEN)
def history_rewrapped(watch: Watch, event: Stepped | Raised) -> Iterator[Finding]:
    """A value was made a leaf anew: backward works, and stops there."""

    def words(watch: Watch, lost: Lost) -> tuple:
        made, names = lost.cut.made, watch.names.all(lost.parameters)
        if made.name in REBUILT or made.name == "Parameter":
            text = "torch.nn.Parameter" if made.name == "Parameter" else f"torch.{made.name}"
            ending = "" if made.name == "Parameter" else ", requires_grad=True"
            return (
                f"`{text}(...{ending})` makes a new leaf of the values: backward stops there and {suffering(names)}.",
                joined(lost, argument_on(lost)),
            )
        way = path_to(made.inputs, watch.trace.of(lost.parameters[0])) if lost.parameters else None
        earlier = None if way is None else first_cut(way)
        before = "" if earlier is None or earlier.place is None else f" at {location.file_and_line(earlier.place)}"
        lost_by = "" if earlier is None else f" Its history was lost before, by `{earlier.name.strip('_')}`{before}."
        return (
            f"`requires_grad_()` made a new leaf of a value without history: backward stops there and "
            f"{suffering(names)}.{lost_by}",
            "Leave it out, and build the loss from tensors that have a history.",
            ("where the history was lost", None if earlier is None else earlier.place),
        )

    yield from told(watch, event, "history-rewrapped", words)


@check("history-numpy", tier=1, severity=ERROR, **WHEN)
def history_numpy(watch: Watch, event: Stepped | Raised) -> Iterator[Finding]:
    """Values left as a NumPy array and came back without their history."""

    def words(watch: Watch, lost: Lost) -> tuple:
        where = "" if lost.cut.back is None else f" and came back at {location.file_and_line(lost.cut.back)}"
        return (
            f"Values left here as a NumPy array{where} without their history, so "
            f"{suffering(watch.names.all(lost.parameters))}.",
            "Use torch operations instead of NumPy's on the way to the loss: "
            "`torch.stack`, `torch.cat`, `torch.where` and kin have NumPy's names.",
            ("where the values came back", lost.cut.back),
        )

    yield from told(watch, event, "history-numpy", words)


@check("history-item", tier=1, severity=ERROR, **WHEN)
def history_item(watch: Watch, event: Stepped | Raised) -> Iterator[Finding]:
    """A part of the loss is a plain number, taken out with `item()` or `float()`."""

    def words(watch: Watch, lost: Lost) -> tuple:
        name = lost.cut.exit.name
        shown = {"__float__": "float(...)", "__int__": "int(...)"}.get(name, f".{name.strip('_')}()")
        kept = ", and join the tensors with `torch.stack`" if name == "tolist" else ""
        return (
            f"`{shown}` gives plain numbers, which have no history: {suffering(watch.names.all(lost.parameters))}.",
            f"Drop `{shown}` where the value goes into the loss{kept}.",
            ("where the number went into the loss", lost.cut.back),
        )

    yield from told(watch, event, "history-item", words)


@check("history-detach", tier=1, severity=ERROR, **WHEN)
def history_detach(watch: Watch, event: Stepped | Raised) -> Iterator[Finding]:
    """`detach()` or `.data` stands between the loss and a parameter that an optimizer wants to train."""

    def words(watch: Watch, lost: Lost) -> tuple:
        shown = ".data" if lost.cut.made.name == "data" else f".{lost.cut.made.name}()"
        names = watch.names.all(lost.parameters)
        return (
            f"The path from the loss to {listed(names)} is cut by `{shown}`.",
            f"Leave `{shown}` out where the value should learn.",
        )

    yield from told(watch, event, "history-detach", words)


@check("history-no-grad", tier=1, severity=ERROR, **WHEN)
def history_no_grad(watch: Watch, event: Stepped | Raised) -> Iterator[Finding]:
    """A part that is to be trained computes under `no_grad` or `inference_mode`."""

    def words(watch: Watch, lost: Lost) -> tuple:
        made = lost.cut.made
        kind = "no_grad" if made.blocked is None else made.blocked[0]
        what = f"`{made.name.strip('_')}`" if made.module is None else watch.names.of_module(made.module)
        shown = f"torch.{kind}({'False' if kind == 'set_grad_enabled' else ''})"
        return (
            f"{what} computes under `{shown}`, so {suffering(watch.names.all(lost.parameters))}.",
            f"Compute it outside of `{shown}`; keep that for evaluation.",
            ("what computes there", made.place),
        )

    yield from told(watch, event, "history-no-grad", words)


@check("history-nondiff", tier=1, severity=ERROR, **WHEN)
def history_nondiff(watch: Watch, event: Stepped | Raised) -> Iterator[Finding]:
    """An operation without a gradient stands between the loss and a parameter: argmax, a comparison, rounding."""

    def words(watch: Watch, lost: Lost) -> tuple:
        name = lost.cut.made.name.strip("_")
        names = watch.names.all(lost.parameters)
        if lost.zeros:
            happened = f"The gradient of `{name}` is zero everywhere, so {listed(names)} cannot learn."
        else:
            happened = f"`{name}` has no gradient, so {listed(names)} cannot learn."
        return happened, f"Use {instead_of(name)}."

    yield from told(watch, event, "history-nondiff", words)


def instead_of(name: str) -> str:
    if name in SMOOTH:
        return SMOOTH[name]
    if name in COMPARISONS:
        return "`torch.sigmoid` of the difference, or a straight-through estimator: `soft + (hard - soft).detach()`"
    if name in ROUNDING:
        return f"a straight-through estimator: `x + (torch.{name}(x) - x).detach()`"
    if name in CASTS:
        return "the floating-point value itself, without the cast to whole numbers"
    return "a smooth form of it, such as `softmax` or `sigmoid`, or a straight-through estimator"


@check("history-sample", tier=1, severity=ERROR, **WHEN)
def history_sample(watch: Watch, event: Stepped | Raised) -> Iterator[Finding]:
    """`sample()` has no gradient where `rsample()` has one."""

    def words(watch: Watch, lost: Lost) -> tuple:
        name = lost.cut.made.name
        shown = f"torch.{name}(...)" if name in ("normal", "bernoulli", "multinomial", "poisson") else f"{name}()"
        fix = {
            "normal": "Write `mean + std * torch.randn_like(mean)`.",
            "sample": "Use `rsample()`; of a discrete distribution, a relaxed one or `log_prob` times the reward.",
        }.get(name, "Use a relaxed sample, such as `gumbel_softmax`, or `log_prob` times the reward.")
        return f"`{shown}` has no gradient, so {suffering(watch.names.all(lost.parameters))}.", fix

    yield from told(watch, event, "history-sample", words)


def is_left_on(watch: Watch, event: Stepped | Raised) -> bool:
    """Whether the program switched gradients off with a call, and they still are."""
    return isinstance(event, Raised) and not state.grad and bool(left_on(watch))


def left_on(watch: Watch) -> list:
    return [place for kind, place in watch.trace.blocks if kind == "set_grad_enabled"]


@check("grad-disabled-left-on", tier=1, severity=ERROR, on=Raised)
def grad_disabled_left_on(watch: Watch, event: Raised) -> Iterator[Finding]:
    """`set_grad_enabled(False)` was called and never undone."""
    refused = is_without_history(event)
    if refused and is_left_on(watch, event):
        yield Finding(
            "Gradients are off since this line: `torch.set_grad_enabled(False)` was never undone, so the loss has no "
            "history and backward refuses it.",
            "Write `with torch.no_grad():` around the evaluation, or call `torch.set_grad_enabled(True)` after it.",
            left_on(watch)[-1],
            related=[("the backward that was refused", event.place)],
        )
