"""Modules: the same printed tree, weights, outputs, gradients, ten steps of SGD and refusals as in torch."""

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
from torch.testing._internal.common_modules import module_db

from conformance.build import Builder
from conformance.compare import Rules, compare, compare_errors, explain
from conformance.entries import spread
from conformance.gradients import cotangent, tensors_of
from conformance.libraries import Library
from conformance.module_samples import SAMPLES
from conformance.outcomes import attempt, freeze
from conformance.records import Unrepresentable, record
from conformance.tally import Tally

STEPS = 10
DTYPES = ("float32", "float64")
PARTS = ("printed", "weights", "outputs", "gradients", "steps")
# sums run in another order, and ten steps of a deep network add up what they round
WIDER = {"outputs": 10, "gradients": 30, "steps": 100}


@dataclass(frozen=True)
class Case:
    """How to make a module in a library, and what to call it with."""

    label: str
    make: Callable[[Library], Any]
    args: tuple = ()
    kwargs: dict | None = None


@dataclass(frozen=True)
class ModuleRecord:
    """A module among the arguments of another: the class and what it was made of."""

    kind: str
    args: tuple
    kwargs: dict

    def build(self, library: Library) -> Any:
        built = lambda value: value.build(library) if isinstance(value, ModuleRecord) else Builder(library).build(value)
        args = [built(each) for each in self.args]
        kwargs = {name: built(value) for name, value in self.kwargs.items()}
        return getattr(library.module.nn, self.kind)(*args, **kwargs)


def list_modules(library: Library) -> list[dict[str, Any]]:
    """Every module of module_db, and those that it lacks."""
    names = [plain_name(info) for info in module_db] + [name for name in SAMPLES if name not in names_of_database()]
    return [{"name": name, "offered": hasattr(library.module.nn, name)} for name in names]


def plain_name(info: Any) -> str:
    return info.name.removeprefix("nn.")


def names_of_database() -> set[str]:
    return {plain_name(info) for info in module_db}


def check_module(name: str, library: Library, samples: int | None) -> dict[str, Any]:
    """All inputs and error inputs of one module, counted."""
    tally, messages = Tally(), [0, 0]
    for dtype in DTYPES:
        for training in (True, False):
            for case in cases_of(name, dtype, training, samples, tally):
                check_case(case, dtype, training, library, tally)
    for info in module_db:
        if plain_name(info) == name and info.module_error_inputs_func is not None:
            check_errors(info, library, tally, messages)
    return {**tally.to_json(), "messages": messages}


def cases_of(name: str, dtype: str, training: bool, samples: int | None, tally: Tally) -> Iterator[Case]:
    """What is tried of a module: the inputs of module_db, then our own."""
    for info in module_db:
        if plain_name(info) == name:
            given = inputs_of(info, info.module_inputs_func, dtype, training)
            for number, each in enumerate(spread(list(given), samples)):
                try:
                    yield case_of(name, each, f"{number} {each.desc}")
                except Unrepresentable as reason:
                    tally.skip(str(reason))
    for number, (make, *inputs) in enumerate(SAMPLES.get(name, ())):
        torch.manual_seed(number)
        args = tuple(record(make_input(each, dtype)) for each in inputs)
        yield Case(f"own {number}", lambda library, make=make: make(library.module.nn), args)


def inputs_of(info: Any, function: Callable, dtype: str, training: bool) -> list[Any]:
    """The inputs that torch generates, always the same ones; a layer among them remembers what it was made of."""
    plain = torch.nn.TransformerEncoderLayer.__init__

    @functools.wraps(plain)
    def remembering(self: Any, *args: Any, **kwargs: Any) -> None:
        plain(self, *args, **kwargs)
        self.made_of = ModuleRecord(type(self).__name__, record(args), record(kwargs))

    torch.manual_seed(0)
    with mock.patch.object(torch.nn.TransformerEncoderLayer, "__init__", remembering):
        return list(function(info, device="cpu", dtype=getattr(torch, dtype), requires_grad=True, training=training))


def case_of(name: str, given: Any, label: str) -> Case:
    made, forward = given.constructor_input, given.forward_input
    args = tuple(recorded(each) for each in made.args)
    kwargs = {option: recorded(value) for option, value in made.kwargs.items()}
    called = (record(forward.args), record(forward.kwargs)) if forward is not None else ((), {})
    return Case(label, ModuleRecord(name, args, kwargs).build, *called)


def recorded(value: Any) -> Any:
    return value.made_of if isinstance(value, torch.nn.Module) else record(value)


def make_input(given: Any, dtype: str) -> Any:
    """A tensor of the given shape; a list of numbers is one of indices, a function makes its own."""
    if isinstance(given, list):
        return torch.tensor(given)
    if callable(given):
        made = given(torch)
        return made.to(getattr(torch, dtype)) if made.is_floating_point() else made
    return torch.randn(given, dtype=getattr(torch, dtype), requires_grad=True)


def check_case(case: Case, dtype: str, training: bool, library: Library, tally: Tally) -> None:
    """One module in both libraries, part by part; what torch itself refuses is not compared."""
    label = f"{case.label}, {dtype}{'' if training else ', eval'}"
    wanted = attempt(look, case, dtype, training, Library("torch"))
    if isinstance(wanted.error, Unrepresentable):
        tally.skip(str(wanted.error))
        return
    given = attempt(look, case, dtype, training, library)
    if wanted.error is not None:
        reason = f"torch raises {explain(wanted.error)}; no exception here"
        tally.add("refused", label, compare_errors(wanted.error, given.error) if given.error is not None else reason)
        return
    if given.error is not None:
        tally.add("outputs", label, f"raises {explain(given.error)}")
        return
    for part in PARTS:
        rules = Rules(aliasing=False, scaled=True, requires_grad=True, widen=WIDER.get(part, 1))
        if part in wanted.raw or part in given.raw:
            tally.add(part, label, compare(wanted.raw.get(part), given.raw.get(part), rules))


def look(case: Case, dtype: str, training: bool, library: Library) -> dict[str, Any]:
    """Everything that can be seen of a module, frozen, by part."""
    builder = Builder(library)
    frozen = functools.partial(freeze, library=library, builder=builder)
    library.seed()
    module = case.make(library).to(getattr(library.module, dtype)).train(training)
    seen = {"printed": repr(module), "weights": frozen(state_of(module))}
    if not hasattr(type(module), "forward") or not (case.args or case.kwargs):
        return seen
    args, kwargs = builder.build(case.args), builder.build(case.kwargs or {})
    output = call(module, args, kwargs, library)
    seen["outputs"] = frozen([output, repr(module), state_of(module)])
    outputs = [each for each in tensors_of(output) if each.requires_grad]
    leaves = [*module.parameters(), *(each for each in builder.tensors if each.requires_grad)]
    if not outputs or not leaves:
        return seen
    grads = library.module.autograd.grad(outputs, leaves, cotangents(library, outputs), allow_unused=True)
    seen["gradients"] = frozen(list(grads))
    learned = [each for each in module.parameters() if each.requires_grad]
    if learned:
        # small steps: large ones amplify what float32 rounds, from step to step
        optimizer = library.module.optim.SGD(learned, lr=0.001, momentum=0.9)
        for _ in range(STEPS):
            optimizer.zero_grad()
            outputs = [each for each in tensors_of(call(module, args, kwargs, library)) if each.requires_grad]
            library.module.autograd.backward(outputs, cotangents(library, outputs))
            optimizer.step()
        seen["steps"] = frozen(state_of(module))
    return seen


def state_of(module: Any) -> dict[str, Any]:
    """The state dict; a parameter whose shape is not known yet is its text."""
    state = module.state_dict()
    return {
        key: "uninitialized" if type(value).__name__.startswith("Uninit") else value for key, value in state.items()
    }


def call(module: Any, args: tuple, kwargs: dict, library: Library) -> Any:
    """A seeded call; inputs that are leaves are cloned, since a module may write to what it is given."""
    fresh = lambda value: value.clone() if getattr(value, "requires_grad", False) else value
    library.seed(1)
    return module(*map(fresh, args), **{name: fresh(value) for name, value in kwargs.items()})


def cotangents(library: Library, outputs: list[Any]) -> list[Any]:
    return [cotangent(library, number, each, False) for number, each in enumerate(outputs)]


def check_errors(info: Any, library: Library, tally: Tally, messages: list[int]) -> None:
    """What torch refuses: the same exception type; whether its words match is only counted."""
    for number, error in enumerate(inputs_of(info, info.module_error_inputs_func, "float32", True)):
        label = f"{number} ({error.error_regex[:40]})"
        try:
            case = case_of(plain_name(info), error.module_error_input, label)
        except Unrepresentable as reason:
            tally.skip(str(reason))
            continue
        wanted, given = (attempt(refuse, case, each) for each in (Library("torch"), library))
        if wanted.error is None:
            continue
        if given.error is None:
            tally.add("errors", label, f"torch raises {explain(wanted.error)}; no exception here")
            continue
        tally.add("errors", label, compare_errors(wanted.error, given.error))
        messages[0] += bool(re.search(error.error_regex, str(given.error)))
        messages[1] += 1


def refuse(case: Case, library: Library) -> None:
    builder = Builder(library)
    module = case.make(library)
    # without inputs it is the making that torch refuses
    if case.args or case.kwargs:
        module(*builder.build(case.args), **builder.build(case.kwargs or {}))
