"""The registry: every op that the library declares, compared with torch on the samples of its declaration."""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from conformance.calls import Arguments, first_is_tensor, observe, observe_inplace
from conformance.compare import Rules, compare_outcomes
from conformance.gradients import has_gradient, observe_gradients
from conformance.libraries import Library
from conformance.outcomes import Outcome, flatten
from conformance.records import TensorRecord, Unrepresentable, map_tensors, record
from conformance.tally import Tally
from conformance.verdicts import disagreement

# larger results are summarised by both; what they then print is checked on small ones
LONGEST_PRINTED = 1000

# second-order gradients run on this many samples of an op
FEW = 3

UNINITIALISED = ("empty", "resize")


def registry_of(library: Library) -> dict[str, Any]:
    """The declared ops by name; for torch, which has no registry, Rushlight's (the runner's self-check)."""
    name = "rushlight" if library.name == "torch" else library.name
    return importlib.import_module(f"{name}.ops.machine.late").registry()


def list_ops(library: Library) -> list[dict[str, Any]]:
    """Every declared op and the file of ops/ it stands in."""
    ops = registry_of(library).values()
    return [{"name": op.name, "family": op.body.__module__.rsplit(".", 1)[-1]} for op in ops]


def check_op(name: str, library: Library) -> dict[str, Any]:
    """Runs one op on its samples and gives its tally, and how often the graph's nodes are named alike."""
    check = OpCheck(registry_of(library)[name], library)
    check.run()
    return {**check.tally.to_json(), "nodes": check.nodes}


class OpCheck:
    """One declared op under comparison."""

    def __init__(self, op: Any, library: Library) -> None:
        self.op = op
        self.torch = Library("torch")
        self.library = library
        self.tally = Tally()
        self.nodes = [0, 0]
        uninitialised = any(word in op.name for word in UNINITIALISED)
        pointwise = getattr(op.samples, "pointwise", False)
        self.rules = Rules(values=not uninitialised, scaled=not pointwise)
        self.gradient_rules = Rules(aliasing=False, scaled=True)

    def run(self) -> None:
        if self.op.name.rsplit(".", 1)[-1].startswith("_"):
            self.tally.skip("private")
            return
        if self.torch.find_function(self.op.name) is None:
            self.tally.add("name", self.op.name, "torch has no such name")
            return
        if not callable(self.op.samples):
            self.tally.add("samples", self.op.name, "declares none")
            return
        for number, sample in enumerate(self.op.samples()):
            try:
                args, kwargs = record((tuple(sample.args), dict(sample.kwargs)), arrays_are_tensors=True)
                self.check_sample(number, Arguments(args, kwargs))
            except Unrepresentable as reason:
                self.tally.skip(str(reason))

    def check_sample(self, number: int, arguments: Arguments) -> None:
        label = f"{number} ({arguments})"
        for part, reference, function in self.forms():
            if part == "method" and not first_is_tensor(arguments):
                continue
            expected = observe(self.torch, reference, arguments)
            got = observe(self.library, function, arguments)
            reason = self.add(part, label, arguments, expected, got)
            if part == "function" and reason is None:
                self.check_text(expected, got, label)
        inplace = self.find_inplace(self.torch)
        if inplace is not None and first_is_tensor(arguments):
            expected = observe_inplace(self.torch, inplace, arguments)
            got = observe_inplace(self.library, self.find_inplace(self.library), arguments)
            self.add("inplace", label, arguments, expected, got)
        self.check_gradients(number, with_grad(arguments), label)

    def add(self, part: str, label: str, arguments: Arguments, expected: Outcome, got: Outcome) -> str | None:
        """Counts one comparison of outcomes and gives the reason for a disagreement."""
        reference = self.torch.find_function(self.op.name)
        reason = disagreement(self.op.name, arguments, expected, got, self.rules, reference)
        self.tally.add(part, label, reason)
        return reason

    def forms(self) -> Iterator[tuple[str, Callable, Callable | None]]:
        """The public function, the method and the aliases, wherever torch has them."""
        yield "function", *(each.find_function(self.op.name) for each in (self.torch, self.library))
        method = self.torch.find_method(self.op.name)
        if callable(method) and self.torch.find(self.op.name) is not None:
            yield "method", method, self.library.find_method(self.op.name)
        for alias in getattr(self.op, "aliases", ()):
            reference = self.torch.find_function(alias)
            if reference is not None:
                yield f"alias {alias}", reference, self.library.find_function(alias)

    def find_inplace(self, library: Library) -> Callable | None:
        return library.find_method(self.op.name + "_")

    def check_text(self, expected: Outcome, got: Outcome, label: str) -> None:
        """What both print, where their values agree to the last bit."""
        pairs = list(zip(flatten(expected.result), flatten(got.result), strict=True))
        if expected.error is not None or not self.rules.values:
            return
        if any(one.values.size > LONGEST_PRINTED for one, _ in pairs):
            return
        if all(one.values.tobytes() == other.values.tobytes() for one, other in pairs):
            wanted, given = repr(expected.raw), repr(got.raw)
            reason = None if wanted == given else f"torch prints {wanted!r}, here {given!r}"
            self.tally.add("text", label, reason)

    def check_gradients(self, number: int, arguments: Arguments, label: str) -> None:
        """Gradients in float64 for every floating argument; second order on the first samples."""
        reference, function = (each.find_function(self.op.name) for each in (self.torch, self.library))
        for part, second in (("gradient", False), ("second order", True)):
            if second and number >= FEW:
                return
            expected = observe_gradients(self.torch, reference, arguments, same, second)
            # a library that differentiates what torch cannot is not at fault
            if expected.error is not None:
                return
            got = observe_gradients(self.library, function, arguments, same, second)
            reason = compare_outcomes(expected, got, self.gradient_rules)
            self.tally.add(part, label, reason)
            if reason is not None or not has_gradient(expected):
                return
        self.compare_nodes(observe(self.torch, reference, arguments), observe(self.library, function, arguments))

    def compare_nodes(self, expected: Outcome, got: Outcome) -> None:
        """Counts whether the result's node has torch's name, which is seen in print only."""
        names = [getattr(getattr(each.raw, "grad_fn", None), "name", lambda: None)() for each in (expected, got)]
        self.nodes[0] += names[0] == names[1]
        self.nodes[1] += 1


def same(result: Any) -> Any:
    return result


def with_grad(arguments: Arguments) -> Arguments:
    """The arguments in double precision, asking for the gradient of each one that can have one."""
    return Arguments(map_tensors(arguments.args, ask_for_grad), map_tensors(arguments.kwargs, ask_for_grad))


def ask_for_grad(tensor: TensorRecord) -> TensorRecord:
    if not (tensor.is_floating or tensor.is_complex):
        return tensor
    dtype = "complex128" if tensor.is_complex else "float64"
    return replace(tensor, memory=tensor.memory.astype(dtype), dtype=dtype, requires_grad=True)
