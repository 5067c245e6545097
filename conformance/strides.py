"""Strides: how the results of every op and the gradients of its inputs lie in memory, for inputs in many layouts."""

from collections.abc import Callable
from typing import Any

from torch.testing._internal.common_methods_invocations import op_db

from conformance.build import Builder
from conformance.calls import Arguments, conclude, observe
from conformance.compare import Rules, steps
from conformance.entries import GAUGE, full_name, spread
from conformance.gradients import cotangent, tensors_of
from conformance.layouts import layouts_of
from conformance.libraries import Library
from conformance.outcomes import FrozenTensor, Outcome, flatten
from conformance.records import Unrepresentable, record, without_grad
from conformance.registry import UNINITIALISED, ask_for_grad, map_tensors, registry_of
from conformance.tally import Tally
from conformance.translate import translate
from conformance.verdicts import disagreement

# of a dtype that has more samples than are wanted, the smallest: a layout shows on any size
LARGEST = 10_000


def check_entry(index: int, library: Library, samples: int | None) -> dict[str, Any]:
    """The strides of one entry of op_db."""
    op = op_db[index]
    check = StridesCheck(op.name, op.op, translate(op.op, library, op.name), library)
    check.values = not op.has_nondeterministic_output and op.name not in GAUGE and op.name != "resize_"
    torch = check.torch
    torch.seed()
    kind = next((each for each in ("float32", "int64", "bool", "complex64") if each in supported(op)), None)
    every = list(op.sample_inputs("cpu", getattr(torch.module, kind), requires_grad=False)) if kind else []
    for number, sample in enumerate(spread(every, samples)):
        check.run(number, lambda sample=sample: record(((sample.input, *sample.args), sample.kwargs)))
    return {"name": full_name(op), **check.tally.to_json()}


def supported(op: Any) -> set[str]:
    return {str(dtype).removeprefix("torch.") for dtype in op.supported_dtypes("cpu")}


def check_op(name: str, library: Library, samples: int | None) -> dict[str, Any]:
    """The strides of one declared op, on its own samples."""
    op, torch = registry_of(library)[name], Library("torch")
    check = StridesCheck(name, torch.find_function(name), library.find_function(name), library)
    check.values = not any(word in name for word in UNINITIALISED)
    if check.reference is None or not callable(op.samples):
        check.tally.skip("no name or no samples")
        return check.tally.to_json()
    for number, sample in enumerate(spread(op.samples(), samples)):
        given = (tuple(sample.args), dict(sample.kwargs))
        check.run(number, lambda given=given: record(given, arrays_are_tensors=True))
    return check.tally.to_json()


# A matrix of equal rows is singular: what these make of it, and whether they refuse it, is up to rounding.
SOLVERS = {
    *("inverse", "linalg.cond", "linalg.inv", "linalg.inv_ex", "linalg.lstsq", "linalg.lstsq.grad_oriented"),
    *("linalg.lu", "linalg.lu_factor", "linalg.lu_factor_ex", "linalg.solve", "linalg.solve_ex", "linalg.tensorinv"),
    *("linalg.tensorsolve", "lu"),
}


class StridesCheck:
    """One op in all layouts."""

    def __init__(self, name: str, reference: Callable, function: Callable | None, library: Library) -> None:
        self.name = name
        self.reference = reference
        self.function = function
        self.library = library
        self.torch = Library("torch")
        self.values = True
        self.tally = Tally()

    def run(self, number: int, recorded: Callable) -> None:
        """One sample in each layout: the result, that of the plain Python function, and gradients."""
        try:
            arguments = Arguments(*without_grad(recorded()))
            for layout, laid in layouts_of(arguments):
                if layout == "expanded" and self.name in SOLVERS:
                    continue
                self.check(f"{layout}, {number} ({laid})", layout, laid)
        except Unrepresentable as reason:
            self.tally.skip(str(reason))

    def check(self, label: str, layout: str, arguments: Arguments) -> None:
        expected = observe(self.torch, self.reference, arguments)
        if expected.error is not None:
            return
        functions = {"function": self.function, "plain": getattr(self.function, "__wrapped__", None)}
        for part, function in functions.items():
            if part == "function" or function is not None:
                got = observe(self.library, function, arguments)
                # torch does not look at all sizes that no longer fit
                if got.error is None or layout != "thin":
                    self.tally.add(part, label, self.compare(arguments, expected, got))
        self.check_gradients(label, Arguments(*map_tensors((arguments.args, arguments.kwargs), ask_for_grad)))

    def compare(self, arguments: Arguments, expected: Outcome, got: Outcome) -> str | None:
        """How the library's results differ in layout, or in value."""
        rules = Rules(values=self.values, aliasing=False, scaled=True)
        reason = disagreement(self.name, arguments, expected, got, rules, self.reference)
        return reason or compare_layouts(flatten(expected.result), flatten(got.result))

    def check_gradients(self, label: str, arguments: Arguments) -> None:
        expected = observe_grads(self.torch, self.reference, arguments)
        if expected.error is None and expected.result.items:
            got = observe_grads(self.library, self.function, arguments)
            if got.error is None and len(got.result.items) == len(expected.result.items):
                reason = compare_layouts(flatten(expected.result), flatten(got.result), offsets=False)
                self.tally.add("gradient", label, reason)


def observe_grads(library: Library, function: Callable | None, arguments: Arguments) -> Outcome:
    """The `.grad` of each input after a backward; which of them exist is for `ops` and `samples` to compare."""

    def act() -> tuple[Builder, Any, Any]:
        builder = Builder(library)
        args, kwargs = builder.build(arguments.args), builder.build(arguments.kwargs)
        library.seed()
        outputs = [each for each in tensors_of(function(*args, **kwargs)) if each.requires_grad]
        if outputs:
            starts = [cotangent(library, number, each, False) for number, each in enumerate(outputs)]
            library.module.autograd.backward(outputs, starts)
        found = [each.grad for each in builder.tensors]
        return builder, None, [each for each in found if each is not None]

    return conclude(library, function, act)


def compare_layouts(expected: list[FrozenTensor], got: list[FrozenTensor], offsets: bool = True) -> str | None:
    """The first result whose strides or offset are not torch's; those of an empty tensor mean nothing."""
    for number, (wanted, given) in enumerate(zip(expected, got, strict=True)):
        place = f"[{number}] " if len(expected) > 1 else ""
        if wanted.shape != given.shape:
            return f"{place}shape: torch {wanted.shape}, here {given.shape}"
        if not wanted.values.size:
            continue
        if steps(wanted) != steps(given):
            return f"{place}strides of {wanted.shape}: torch {wanted.strides}, here {given.strides}"
        if offsets and wanted.offset != given.offset:
            return f"{place}storage_offset: torch {wanted.offset}, here {given.offset}"
    return None
