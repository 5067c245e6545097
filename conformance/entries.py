"""Entries of torch's operator database: every form of one, run on its own samples in both libraries."""

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, UnaryUfuncInfo

from conformance.accuracy import in_double, is_as_accurate
from conformance.calls import Arguments, first_is_tensor, observe, observe_inplace, observe_out
from conformance.compare import Rules, compare_errors, compare_outcomes
from conformance.gradients import has_gradient, observe_gradients, on_clone
from conformance.libraries import Library
from conformance.outcomes import Outcome, flatten
from conformance.records import Unrepresentable, interleaved, record, without_grad
from conformance.tally import Tally
from conformance.ties import resolve_ties
from conformance.translate import is_of_database, translate

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
    return library.offers(op.name) or (only_inplace and library.offers(op.name + "_"))


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
        self.form = Form("function", op.op, translate(op.op, library, op.name))
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

    def each(self, dtype: str, requires_grad: bool, tally: Tally) -> Iterator[tuple[int, Any, Arguments]]:
        """The samples that can be recorded, numbered."""
        for number, sample in enumerate(self.samples(dtype, requires_grad)):
            try:
                args = record((sample.input, *sample.args))
                yield number, sample, Arguments(args, record(sample.kwargs))
            except Unrepresentable as reason:
                tally.skip(str(reason))

    def check_values(self, dtype: str, tally: Tally) -> None:
        for number, sample, recorded in self.each(dtype, False, tally):
            arguments = Arguments(without_grad(recorded.args), without_grad(recorded.kwargs))
            label = f"{dtype} {number} ({arguments})"
            try:
                for form in self.forms():
                    self.check_form(form, sample, arguments, label, tally)
                if number < FEW:
                    self.check_strided(sample, arguments, label, tally)
                if self.inplace and first_is_tensor(arguments) and not sample.broadcasts_input:
                    self.check_inplace(self.inplace, arguments, label, tally)
                if self.op.supports_out and "out" not in arguments.kwargs:
                    self.check_out(number, arguments, label, tally)
            except Unrepresentable as reason:
                tally.skip(str(reason))

    def check_form(self, form: Form, sample: Any, arguments: Arguments, label: str, tally: Tally) -> None:
        if form.part == "operator" and arguments.kwargs:
            return
        reference = functools.partial(
            observe, self.torch, self.normalised(form.reference, sample, self.torch)
        )
        got = observe(self.library, self.normalised(form.function, sample, self.library), arguments)
        self.judge(form.part, label, reference, got, arguments, tally)

    def judge(
        self,
        part: str,
        label: str,
        reference: Callable[[Arguments], Outcome],
        got: Outcome,
        arguments: Arguments,
        tally: Tally,
    ) -> None:
        """Compares with what torch does; where only values differ, double precision has the last word."""
        expected = resolve_ties(self.op.name, arguments, reference(arguments))
        got = resolve_ties(self.op.name, arguments, got)
        reason = compare_outcomes(expected, got, self.rules)
        if reason is not None and "value:" in reason:
            exact = resolve_ties(self.op.name, arguments, reference(in_double(arguments)))
            if is_as_accurate(expected, got, exact, self.rules):
                reason = None
        tally.add(part, label, reason)

    def check_strided(self, sample: Any, arguments: Arguments, label: str, tally: Tally) -> None:
        """The function once more, on the same values with gaps between them in memory."""
        gaps = Arguments(interleaved(arguments.args), interleaved(arguments.kwargs))
        self.check_form(replace(self.form, part="strided"), sample, gaps, label, tally)

    def normalised(self, function: Callable | None, sample: Any, library: Library) -> Callable | None:
        """The function, followed by op_db's own choice of signs where the op leaves them open."""
        if function is None or self.op.name not in GAUGE:
            return function
        process = translate(sample.output_process_fn_grad, library)
        return lambda *args, **kwargs: process(function(*args, **kwargs))

    def check_inplace(self, form: Form, arguments: Arguments, label: str, tally: Tally) -> None:
        reference = functools.partial(observe_inplace, self.torch, form.reference)
        got = observe_inplace(self.library, form.function, arguments)
        self.judge("inplace", label, reference, got, arguments, tally)

    def check_out(self, number: int, arguments: Arguments, label: str, tally: Tally) -> None:
        model = observe(self.torch, self.form.reference, arguments)
        if model.error is not None or not flatten(model.result) or self.op.name in GAUGE:
            return
        for empty in (False, True) if number < FEW else (False,):
            reference = functools.partial(
                observe_out, self.torch, self.form.reference, expected=model, empty=empty
            )
            got = observe_out(self.library, self.form.function, arguments, model, empty)
            note = f"{label}, out of no elements" if empty else label
            self.judge("out", note, reference, got, arguments, tally)

    def check_gradients(self, dtype: str, tally: Tally) -> None:
        for number, sample, arguments in self.each(dtype, True, tally):
            label = f"{dtype} {number} ({arguments})"
            try:
                self.check_gradient(number, sample, arguments, label, tally)
            except Unrepresentable as reason:
                tally.skip(str(reason))

    def check_gradient(
        self, number: int, sample: Any, arguments: Arguments, label: str, tally: Tally
    ) -> None:
        """First order on every sample; second order and through the in-place form on the first few."""
        compare = functools.partial(self.compare_gradients, sample, arguments, label, tally)
        if compare("gradient", self.form.reference, self.form.function, False) and number < FEW:
            if self.op.supports_gradgrad:
                compare("second order", self.form.reference, self.form.function, True)
            usable = self.inplace and first_is_tensor(arguments) and not sample.broadcasts_input
            if usable and self.op.supports_inplace_autograd:
                reference, function = on_clone(self.inplace.reference), on_clone(self.inplace.function)
                compare("inplace gradient", reference, function, False)

    def compare_gradients(
        self,
        sample: Any,
        arguments: Arguments,
        label: str,
        tally: Tally,
        part: str,
        reference: Callable,
        function: Callable | None,
        second: bool,
    ) -> bool:
        """Compares one kind of gradient; gives whether torch has it for this sample at all."""
        process = sample.output_process_fn_grad
        expected = observe_gradients(self.torch, reference, arguments, process, second)
        # a library that differentiates what torch cannot is not at fault
        if expected.error is not None:
            return False
        chosen = translate(process, self.library)
        got = observe_gradients(self.library, function, arguments, chosen, second)
        tally.add(part, label, compare_outcomes(expected, got, self.gradient_rules))
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
