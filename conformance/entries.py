"""Entries of torch's operator database: every form of one, run on its own samples in both libraries."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, UnaryUfuncInfo

from conformance.calls import Arguments, first_is_tensor, observe, observe_inplace, observe_out
from conformance.compare import Rules, compare_errors, compare_outcomes
from conformance.gradients import has_gradient, observe_gradients, on_clone
from conformance.libraries import Library
from conformance.outcomes import Outcome, flatten
from conformance.records import Unrepresentable, interleaved, record, without_grad
from conformance.tally import Tally
from conformance.translate import is_of_database, translate
from conformance.verdicts import disagreement

REAL = ("float32", "float64", "int64", "bool")
COMPLEX = ("complex64", "complex128")

# results defined only up to a sign or a rotation: compared after op_db's own normalisation
GAUGE = {"svd", "linalg.svd", "linalg.eigh", "linalg.eig", "svd_lowrank", "pca_lowrank", "linalg.qr", "qr"}

# second-order and in-place gradients run on this many samples; the rest differ in shape only
FEW = 3


@dataclass(frozen=True)
class Options:
    """How much of an entry to run: samples a dtype (None for all), and which dtypes."""

    samples: int | None = 20
    dtypes: tuple[str, ...] = REAL + COMPLEX


@dataclass(frozen=True)
class Form:
    """One way to call an op: the same call in torch and in the library."""

    part: str
    reference: Callable
    function: Callable | None


@dataclass(frozen=True)
class Case:
    """One recorded sample, and the tally that its comparisons go to."""

    number: int
    sample: Any
    arguments: Arguments
    label: str
    tally: Tally

    @property
    def allows_inplace(self) -> bool:
        """Whether the result fits into the first argument: torch refuses to broadcast that one."""
        return first_is_tensor(self.arguments) and not self.sample.broadcasts_input


def full_name(op: Any) -> str:
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def list_entries(library: Library) -> list[dict[str, Any]]:
    """Every entry's number and name, and whether the library has it."""
    return [
        {"index": index, "name": full_name(op), "op": op.name, "offered": is_offered(op, library)}
        for index, op in enumerate(op_db)
    ]


def is_offered(op: Any, library: Library) -> bool:
    """Whether the library has the entry's name; `exponential` and its kin stand for an in-place method."""
    only_inplace = is_of_database(op.op) and Library("torch").find(op.name) is None
    inner = is_of_database(op.op) and library.offers(f"ops.aten.{op.name}")
    return library.offers(called_name(op)) or inner or (only_inplace and library.offers(op.name + "_"))


def called_name(op: Any) -> str:
    """Under which name to look for an entry: that of its function where torch itself has none of the entry's."""
    if is_of_database(op.op) or Library("torch").offers(op.name):
        return op.name
    inner = str(op.op)
    return f"ops.{inner}" if inner.startswith("aten.") else getattr(op.op, "__name__", op.name)


def check_entry(index: int, library: Library, options: Options) -> dict[str, Any]:
    """Runs one entry and gives its tallies: the required parts, the complex ones, the error messages."""
    check = EntryCheck(op_db[index], library, options)
    check.run()
    return {
        "name": full_name(check.op),
        **check.real.to_json(),
        "complex": check.complex.to_json(),
        "messages": check.messages,
    }


class EntryCheck:
    """One entry under comparison."""

    def __init__(self, op: Any, library: Library, options: Options) -> None:
        self.op = op
        self.torch = Library("torch")
        self.library = library
        self.options = options
        self.real = Tally()
        self.complex = Tally()
        self.messages = [0, 0]
        elementwise = isinstance(op, UnaryUfuncInfo | BinaryUfuncInfo)
        uninitialised = op.has_nondeterministic_output or op.name == "resize_"
        self.rules = Rules(values=not uninitialised, scaled=not elementwise)
        self.gradient_rules = Rules(aliasing=False, scaled=True)
        self.form = Form("function", op.op, translate(op.op, library, called_name(op)))
        self.inplace = self.make_form("inplace", op.inplace_variant)

    def make_form(self, part: str, function: Callable | None) -> Form | None:
        return function and Form(part, function, translate(function, self.library))

    def forms(self) -> Iterator[Form]:
        """The ways to call the op that leave its arguments alone."""
        yield self.form
        for part, function in (("method", self.op.method_variant), ("operator", self.op.operator_variant)):
            form = self.make_form(part, function)
            if form is not None and function is not self.op.op:
                yield form

    def run(self) -> None:
        supported = {str(dtype).removeprefix("torch.") for dtype in self.op.supported_dtypes("cpu")}
        for dtype in self.options.dtypes:
            if dtype in supported:
                tally = self.complex if dtype in COMPLEX else self.real
                self.check_values(dtype, tally)
                if self.op.supports_autograd and dtype in {"float64", "complex128"}:
                    self.check_gradients(dtype, tally)
        if self.op.error_inputs_func is not None:
            self.check_errors()

    def samples(self, dtype: str, requires_grad: bool) -> list[Any]:
        """Some of the entry's samples, spread evenly over all of them."""
        self.torch.seed()
        kind = getattr(self.torch.module, dtype)
        every = list(self.op.sample_inputs("cpu", kind, requires_grad=requires_grad))
        return spread(every, self.options.samples)

    def cases(self, dtype: str, requires_grad: bool, tally: Tally) -> Iterator[Case]:
        """The samples that can be recorded, as cases."""
        for number, sample in enumerate(self.samples(dtype, requires_grad)):
            try:
                recorded = record(((sample.input, *sample.args), sample.kwargs))
            except Unrepresentable as reason:
                tally.skip(str(reason))
                continue
            arguments = Arguments(*(recorded if requires_grad else without_grad(recorded)))
            yield Case(number, sample, arguments, f"{dtype} {number} ({arguments})", tally)

    def check_values(self, dtype: str, tally: Tally) -> None:
        for case in self.cases(dtype, False, tally):
            try:
                for form in self.forms():
                    self.check_form(form, case)
                if case.number < FEW:
                    self.check_strided(case)
                if self.inplace is not None and case.allows_inplace:
                    self.check_inplace(self.inplace, case)
                if self.op.supports_out and "out" not in case.arguments.kwargs:
                    self.check_out(case)
            except Unrepresentable as reason:
                tally.skip(str(reason))

    def check_form(self, form: Form, case: Case) -> None:
        if form.part == "operator" and case.arguments.kwargs:
            return
        reference = self.normalised(form.reference, case.sample, self.torch)
        function = self.normalised(form.function, case.sample, self.library)
        expected = observe(self.torch, reference, case.arguments)
        got = observe(self.library, function, case.arguments)
        self.judge(form.part, case, expected, got, reference)

    def check_strided(self, case: Case) -> None:
        """The function once more, on the same values with gaps between them in memory."""
        gaps = Arguments(interleaved(case.arguments.args), interleaved(case.arguments.kwargs))
        self.check_form(replace(self.form, part="strided"), replace(case, arguments=gaps))

    def normalised(self, function: Callable | None, sample: Any, library: Library) -> Callable | None:
        """The function, followed by op_db's own choice of signs where the op leaves them open."""
        if function is None or self.op.name not in GAUGE:
            return function
        process = translate(sample.output_process_fn_grad, library)
        return lambda *args, **kwargs: process(function(*args, **kwargs))

    def check_inplace(self, form: Form, case: Case) -> None:
        expected = observe_inplace(self.torch, form.reference, case.arguments)
        got = observe_inplace(self.library, form.function, case.arguments)
        self.judge("inplace", case, expected, got, self.form.reference)

    def check_out(self, case: Case) -> None:
        model = observe(self.torch, self.form.reference, case.arguments)
        if model.error is not None or not flatten(model.result) or self.op.name in GAUGE:
            return
        for empty in (False, True) if case.number < FEW else (False,):
            expected = observe_out(self.torch, self.form.reference, case.arguments, model, empty)
            got = observe_out(self.library, self.form.function, case.arguments, model, empty)
            told = replace(case, label=f"{case.label}, out of no elements") if empty else case
            self.judge("out", told, expected, got, self.form.reference)

    def judge(self, part: str, case: Case, expected: Outcome, got: Outcome, reference: Callable) -> None:
        reason = disagreement(self.op.name, case.arguments, expected, got, self.rules, reference)
        case.tally.add(part, case.label, reason)

    def check_gradients(self, dtype: str, tally: Tally) -> None:
        """First order on every sample; second order and through the in-place form on the first few."""
        for case in self.cases(dtype, True, tally):
            try:
                if not self.check_gradient("gradient", self.form, case) or case.number >= FEW:
                    continue
                if self.op.supports_gradgrad:
                    self.check_gradient("second order", self.form, case, second=True)
                if self.inplace is not None and case.allows_inplace and self.op.supports_inplace_autograd:
                    form = Form("", on_clone(self.inplace.reference), on_clone(self.inplace.function))
                    self.check_gradient("inplace gradient", form, case)
            except Unrepresentable as reason:
                tally.skip(str(reason))

    def check_gradient(self, part: str, form: Form, case: Case, second: bool = False) -> bool:
        """Compares one kind of gradient; gives whether torch has it for this sample at all."""
        process = case.sample.output_process_fn_grad
        expected = observe_gradients(self.torch, form.reference, case.arguments, process, second)
        # a library that differentiates what torch cannot is not at fault
        if expected.error is not None:
            return False
        chosen = translate(process, self.library)
        got = observe_gradients(self.library, form.function, case.arguments, chosen, second)
        case.tally.add(part, case.label, compare_outcomes(expected, got, self.gradient_rules))
        return has_gradient(expected)

    def check_errors(self) -> None:
        """Inputs that torch refuses: the same exception type; whether its text matches is only counted."""
        self.torch.seed()
        for number, error in enumerate(self.op.error_inputs("cpu")):
            sample = error.sample_input
            try:
                arguments = Arguments(record((sample.input, *sample.args)), record(sample.kwargs))
                expected = observe(self.torch, self.form.reference, arguments)
                if expected.error is None:
                    continue
                got = observe(self.library, self.form.function, arguments)
            except Unrepresentable as reason:
                self.real.skip(str(reason))
                continue
            label = f"{number} ({arguments})"
            if got.error is None:
                self.real.add("error", label, compare_outcomes(expected, got, self.rules))
                continue
            self.real.add("error", label, compare_errors(expected.error, got.error))
            if re.search(error.error_regex, str(expected.error)):
                self.messages[0] += bool(re.search(error.error_regex, str(got.error)))
                self.messages[1] += 1


def spread(items: list[Any], count: int | None) -> list[Any]:
    """At most `count` of the items, the first and the last among them."""
    if count is None or len(items) <= count:
        return items
    if count == 1:
        return items[:1]
    step = (len(items) - 1) / (count - 1)
    return [items[round(number * step)] for number in range(count)]
